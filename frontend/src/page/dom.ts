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

// Buttons, lists and sliders keep the focus after a click. Their keys are theirs only if the focus did not come by a click.
let clicked: EventTarget | null = null;
if (typeof addEventListener === "function") {
  addEventListener("pointerdown", ({ target }) => { clicked = target; }, true);
  addEventListener("keydown", ({ key }) => { if (key === "Tab") clicked = null; }, true);
}
const WORDLESS = new Set(["range", "file", "button", "checkbox"]); // kinds of fields in which nothing is typed

/** Whether text is typed into an element. */
const isTyped = (target: HTMLElement) => target.isContentEditable || target instanceof HTMLTextAreaElement
  || (target instanceof HTMLInputElement && !WORDLESS.has(target.type));

/** Whether a key belongs to the element with the focus, and not to the machine. */
export const takesKey = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false;
  if (isTyped(target)) return true;
  if (target.getAttribute("role") === "treeitem") return SLIDES.has(key) || PRESSES.has(key); // a tree is read by its keys
  if (clicked instanceof Node && target.contains(clicked)) return false;
  if (target instanceof HTMLSelectElement) return true;
  const role = target.getAttribute("role");
  if (role === "separator") return SLIDES.has(key) || key === "Enter";
  if (target instanceof HTMLInputElement || role === "slider") return SLIDES.has(key);
  return (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") && PRESSES.has(key);
};

export const download = (blob: Blob, name: string): void => {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
