// The list of parts: a part is clicked, or dragged to a point, a body or a free place of the diagram.
import { translated } from "../language/language.ts";
import { byId, element } from "../page/dom.ts";
import type { PalettePart } from "./contract.ts";
import type { Board } from "./drawing.ts";

const FAR = 6; // pixels after which a press is a drag
export interface PaletteEvents {
  add(name: string, on: string, at?: number[]): void;
  /** The point on which a part is put: of a node, or the last one of it. */
  carrierOf(id: string | undefined, point?: string): string;
  chosen(): string | undefined;
  board: Board;
}
export const makePalette = (palette: PalettePart[], { add, carrierOf, chosen, board }: PaletteEvents): void => {
  const part = ({ name, line }: PalettePart) => {
    const made = element("button", { textContent: translated(name), title: translated(line), className: "part" });
    let dropped = false;
    made.dataset.part = name;
    made.onpointerdown = (event) => {
      const far = (at: PointerEvent) => Math.hypot(at.clientX - event.clientX, at.clientY - event.clientY) > FAR;
      made.setPointerCapture(event.pointerId);
      made.onpointermove = (move) => made.classList.toggle("dragged", far(move));
      made.onpointerup = (up) => {
        made.onpointermove = made.onpointerup = null;
        made.classList.remove("dragged");
        if (!far(up)) return;
        dropped = true;
        const { left, right, top, bottom } = byId("canvas").getBoundingClientRect(), { clientX: x, clientY: y } = up;
        if (x < left || x > right || y < top || y > bottom) return;
        const under = board.pointAt(x, y);
        add(name, under ? carrierOf(under.id, under.point) : "ground", under ? [] : board.onCanvas(x, y).map(Math.round));
      };
    };
    made.onclick = () => { if (!dropped) add(name, carrierOf(chosen())); dropped = false; };
    return made;
  };
  byId("parts").replaceChildren(...[...new Set(palette.map(({ group }) => group))].map((group) =>
    element("section", {}, element("h2", { textContent: translated(group) }),
      ...palette.filter((one) => one.group === group).map(part))));
};
