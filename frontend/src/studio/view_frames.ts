// The frame and the name of a second view, over the picture; and the views as the address keeps them.
import type { Arrangement, Hello } from "../contract.ts";
import { translated } from "../language/language.ts";
import type { Views } from "../view/eyes.ts";
import type { View } from "../view/view.ts";
import { keep, kept } from "../page/address.ts";
import { byId } from "../page/dom.ts";

const BETWEEN = "|"; // names in the address

/** The views of the address, or the first ones of the machine. */
export const firstViews = ({ views = [], arrangement = "inset" }: Partial<Hello>): Views => {
  const named = kept("views"), arranged = kept("arrangement");
  return {
    names: named?.split(BETWEEN) ?? views,
    arrangement: arranged === "split" || arranged === "inset" ? arranged satisfies Arrangement : arrangement,
  };
};

/** Keeps views in the address, unless they are the first ones of the machine. */
export const keepViews = (views: Views, { views: first = [], arrangement = "inset" }: Partial<Hello>): void => {
  keep("views", views.names.join() === first.join() ? null : views.names.join(BETWEEN));
  keep("arrangement", views.arrangement === arrangement ? null : views.arrangement);
};

/** Draws the frame about the second view; call it whenever views or sizes change. */
export const showFrames = (view: View): void => {
  const frame = byId("second"), [, pane] = view.panes(), { names, arrangement } = view.views();
  frame.hidden = !pane;
  if (!pane) return;
  frame.className = arrangement;
  frame.textContent = translated(names[1]);
  const percent = (share: number) => `${100 * share}%`;
  Object.assign(frame.style, {
    left: percent(pane.left), top: percent(pane.top), width: percent(pane.width), height: percent(pane.height),
  });
};
