// A slider for each number that may be set.
import type { DialData, Message } from "../contract.ts";
import { byId, element } from "./dom.ts";
import { short } from "./numbers.ts";

const SMALLER: Record<string, [string, number]> = { m: ["mm", 1e3], kg: ["g", 1e3], s: ["ms", 1e3] }; // for small numbers

/** Adds the sliders; gives what writes a value that came from the server. */
export const makeDials = (dials: DialData[], touch: boolean, send: (message: Message) => void) => {
  const written = new Map<string, (value: number) => void>(), list = byId("dial-list");
  for (const { name, label, value, low, high, unit: plain } of dials) {
    const small = Math.max(Math.abs(low), Math.abs(high)) < 0.1 ? SMALLER[plain] : undefined, [unit, per] = small ?? [plain, 1];
    const id = `dial-${name}`, input = element("input", { type: "range", id, min: String(low), max: String(high), step: "any" });
    const output = element("output");
    const write = (x: number) => { output.textContent = `${short(per * x)} ${unit}`.trim(); };
    input.disabled = !touch;
    input.value = String(value);
    write(value);
    input.oninput = () => {
      write(Number(input.value));
      send({ do: "set", name, value: Number(input.value) });
    };
    written.set(name, (x) => {
      if (document.activeElement === input && input.matches(":active")) return;
      input.value = String(x);
      write(x);
    });
    const heading = element("label", { htmlFor: id, title: name, textContent: label || name });
    const row = element("div", { className: "dial" }, heading, output, input);
    row.dataset.name = `${label} ${name}`.toLowerCase();
    list.append(row);
  }
  const filter = byId<HTMLInputElement>("filter");
  filter.oninput = () => {
    const wanted = filter.value.toLowerCase();
    for (const row of list.children as HTMLCollectionOf<HTMLElement>) row.hidden = !row.dataset.name!.includes(wanted);
  };
  return (values: Record<string, number>) => { for (const [name, x] of Object.entries(values)) written.get(name)?.(x); };
};
