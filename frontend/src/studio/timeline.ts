// The slider of the time: its range, and the time that is shown.
import type { Status } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { byId } from "../page/dom.ts";
import type { Past } from "./past.ts";
import * as state from "./state.ts";

export const PAUSE = "M7 5h4v14H7zM13 5h4v14h-4z", PLAY = "M8 5v14l11-7z";

/** Shows the time t (s), or the past time that is shown; a slider that is held is not moved. */
export const showTimeline = (past: Past, scrub: HTMLInputElement, t: number, status: Partial<Status>, held: boolean): void => {
  const memory = state.hello.value?.memory, looking = past.at !== null;
  state.looking.value = looking;
  byId("now").hidden = !looking;
  if (memory) {
    const [first, last] = [Math.max(status.since ?? 0, past.now() - memory), past.now()];
    [scrub.min, scrub.max] = [String(Math.min(first, last)), String(last)];
    byId("icon").setAttribute("d", (looking ? past.playing : status.state === "running") ? PAUSE : PLAY);
  }
  if (!held) scrub.value = String(past.at ?? t);
  scrub.setAttribute("aria-valuetext", `${Number(scrub.value).toFixed(2)} s${looking ? "" : `, ${phrase("now")}`}`);
};
