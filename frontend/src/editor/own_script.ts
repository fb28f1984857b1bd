// The address of the page's own script, which is known only while it is evaluated: a worker runs the same script.
export const OWN_SCRIPT: string = typeof document === "undefined" ? ""
  : (document.currentScript as HTMLScriptElement | null)?.src ?? "";
