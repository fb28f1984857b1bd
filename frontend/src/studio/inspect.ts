// `window.studio`: the store as tests and the console of a browser read it; nothing is kept here.
import type { Hello, Message, Status } from "../contract.ts";
import type { Plots } from "./plots.ts";
import { makeSounds } from "./sound.ts";
import * as state from "./state.ts";

export const exposeStore = (plots: () => Plots | undefined, send: (message: Message) => void): void => {
  const studio = {
    get t() { return state.motion.t; },
    get poses() { return state.motion.poses; },
    get controls() { return state.motion.controls; },
    get received() { return state.motion.received; },
    get drawn() { return state.motion.drawn; },
    get renewed() { return state.motion.renewed; },
    get heard() { return state.motion.heard; },
    get shakes() { return state.motion.shakes; },
    get care() { return state.motion.care; },
    get seen() { return state.motion.view; },
    get frames() { return Math.max(state.pictures.value, 0); },
    get about(): Partial<Hello> { return state.hello.value ?? {}; },
    get status(): Partial<Status> { return state.status.value ?? {}; },
    get plots() { return plots()?.all ?? new Map(); },
    get zoom() { return plots()?.zoom ?? null; },
    send,
  };
  Object.assign(window, { studio, makeSounds });
};
