// Looking back while the machine runs on: a slider over the last minutes, and a replay from there.
import type { Message } from "../contract.ts";
import { clamp } from "../view/space.ts";

const EVERY = 33; // ms between two requests

export interface Past {
  /** The time (s) that is shown; null: now. */
  readonly at: number | null;
  readonly playing: boolean;
  /** The time of the machine: from the server, or extrapolated by the clock while looking back. */
  now(): number;
  told(t: number): void;
  look(t: number): void;
  live(): void;
  toggle(): void;
  tick(ms: number): void;
}

/** `pace()`: seconds of the machine in a second, 0 while it is paused; `clock()`: ms. */
export const makePast = (send: (message: Message) => void, pace: () => number, clock: () => number): Past => {
  let at: number | null = null, playing = false, last = 0, asked = 0;
  let [told, since] = [0, clock()];
  const now = () => (at === null ? told : told + (pace() * (clock() - since)) / 1000);
  const keep = (t: number) => { [told, since] = [t, clock()]; };
  const ask = (t: number) => { at = t; asked = clock(); send({ do: "lookback", t }); };
  const live = () => {
    [at, playing] = [null, false];
    send({ do: "lookback", t: null });
  };
  const look = (t: number) => {
    if (at === null) keep(told);
    playing = false;
    ask(Math.min(t, now()));
  };
  const tick = (ms: number) => {
    const passed = clamp(ms - last, 0, 200) / 1000;
    last = ms;
    if (at === null) return;
    keep(now());
    if (!playing) return;
    at += passed * (pace() || 1);
    if (at >= now()) live();
    else if (clock() - asked >= EVERY) ask(at);
  };
  return {
    now, look, live, tick, told: (t) => { if (at === null) keep(t); }, toggle: () => { playing = !playing; },
    get at() { return at; }, get playing() { return playing; },
  };
};
