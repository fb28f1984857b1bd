// Mesh files of a body in the panel: one group of fields for each file.
import { phrase } from "../language/language.ts";
import { element } from "../page/dom.ts";
import type { Path, Property, Value } from "./contract.ts";
import { valueAt, type Data } from "./data.ts";

type Row = Record<string, Value>;
export type PropertyField = (section: string, property: Property, raw: Value | undefined, where: Path,
  put: (value: Value | null) => void) => HTMLElement;

/** The looks of a body or of the ground; `set` changes the file, null removes. */
export const lookRows = (
  where: Path, data: Data, properties: Property[], field: PropertyField,
  set: (path: Path, value: Value | null, label: string) => void,
): HTMLElement[] => {
  const raw = valueAt(data, where), all: Row[] = (Array.isArray(raw) ? raw : []).map((one) =>
    (typeof one === "object" && one !== null && !Array.isArray(one) ? one : { file: one }));
  const write = (next: Row[]) => set(where, next.length ? next : null, "mesh");
  const boxes = all.map((row, k) => element("fieldset", {}, element("legend", {}, String(row.file),
    element("button", { textContent: "×", title: phrase("Remove the mesh"), onclick: () => write(all.filter((_, other) =>
      other !== k)) })),
    ...properties.filter(({ key }) => key !== "file").map((one) => field("looks", one, row[one.key], [...where, k, one.key],
      (value) => {
        const next = { ...row };
        if (value === null) Reflect.deleteProperty(next, one.key);
        else next[one.key] = value;
        write(all.map((other, at) => (at === k ? next : other)));
      }))));
  return [element("h3", { textContent: phrase("Mesh files") }), ...boxes,
    element("p", { className: "hint", textContent: phrase("Drop a mesh file (.stl, .obj, .glb, .dae) on the body.") })];
};
