// The button for a VR headset; its controllers pull bodies as the mouse does.
import { phrase } from "../language/language.ts";
import type { View } from "../view/view.ts";
import { byId } from "../page/dom.ts";
import type { Hold } from "./hold.ts";

export interface Headset {
  active(): boolean;
}

export const makeHeadset = ({ immersion }: View, hold: Hold, beat: (now: number) => void, refresh: () => void): Headset => {
  const button = byId<HTMLButtonElement>("vr");
  const show = (on: boolean) => {
    button.setAttribute("aria-pressed", String(on));
    button.textContent = phrase(on ? "Leave VR" : "Enter VR");
    refresh();
  };
  const company = { beat, take: hold.takeByRay, drop: hold.drop, ended: () => show(false) };
  button.onclick = async () => {
    if (immersion.active()) return immersion.leave();
    try {
      await immersion.enter(company);
      show(true);
    } catch (error) {
      byId("refused").textContent = phrase("The headset does not work: {why}", { why: (error as Error).message });
    }
  };
  const offer = async () => { button.hidden = !(await immersion.offered()); };
  void offer();
  navigator.xr?.addEventListener("devicechange", () => void offer());
  return { active: immersion.active };
};
