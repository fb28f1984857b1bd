// Elements of the page, and which keys belong to them.
export const byId = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E;

export const element = <K extends keyof HTMLElementTagNameMap>(
  kind: K, more: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(kind), more);
  made.append(...children);
  return made;
};
export const svg = (kind: string, more: Record<string, string | number> = {}, ...children: Node[]): SVGElement => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
};

const PRESSES = new Set([" ", "Enter"]);
const SLIDES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);

/** Whether the element with the focus uses a key itself. */
export const takesKey = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLSelectElement || target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return target.type !== "range" || SLIDES.has(key);
  if (target.getAttribute("role") === "slider") return SLIDES.has(key);
  if (target.getAttribute("role") === "treeitem") return SLIDES.has(key) || PRESSES.has(key);
  return (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") && PRESSES.has(key);
};

export const download = (blob: Blob, name: string): void => {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
