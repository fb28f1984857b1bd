// The panel of the model: its tree, and the inspector of the part that is selected there or clicked in the picture.
import type { Hello, Message } from "../contract.ts";
import { byId } from "../page/dom.ts";
import { makeInspector } from "./inspector.ts";
import { makeTree } from "./tree.ts";

export interface ModelPanel {
  /** A drawer was opened, this one ("model") or another; null: all are closed. */
  opened(name: string | null): void;
  /** A body was clicked. */
  choose(frame: number): void;
  told(frame: number, values: Float32Array): void;
  /** Ask again after a new connection. */
  ask(): void;
}

export const makeModelPanel = (
  { parts, units }: Hello, send: (message: Message) => void, shine: (frame: number | null) => void,
): ModelPanel => {
  const inspector = makeInspector(byId("inspector"), units);
  let open = false, asked = 0;
  const inspect = (frame: number) => {
    if (frame !== asked) send({ do: "inspect", frame });
    asked = frame;
  };
  const tree = makeTree(byId("tree"), parts, (choice) => {
    inspector.show(choice);
    inspect(choice?.card.frame ?? 0);
    shine(choice?.card.frame ?? null);
  });
  byId("model").hidden = !parts.length;
  const opened = (name: string | null) => {
    open = name === "model";
    const choice = open ? tree.chosen() : null;
    inspector.show(choice);
    inspect(choice?.card.frame ?? 0);
    shine(choice?.card.frame ?? null);
  };
  return {
    opened, choose: (frame) => { if (open) tree.choose(frame); }, told: inspector.told,
    ask: () => { if (asked) send({ do: "inspect", frame: asked }); },
  };
};
