// The one store of the page. Signals hold what texts and cards follow from; `motion` holds what changes with every message
// or picture.
import { computed, signal } from "@preact/signals-core";
import type { Hello, Preparing, Status } from "../contract.ts";
import { phrase, translated } from "../language/language.ts";
import type { Care } from "../view/shown.ts";
import type { Between } from "../view/between.ts";
import type { View } from "../view/view.ts";

export const connected = signal(false);
export const hello = signal<Hello | null>(null);
export const status = signal<Status | null>(null);
export const preparing = signal<Preparing | null>(null); // until the machine is ready
export const failed = signal(""); // why it could not be prepared
export const pictures = signal(-1); // drawn in the last second; −1: not yet counted
export const looking = signal(false); // at the past
export const trouble = signal(""); // why nothing is drawn
export const level = signal("full"); // how well it is drawn, in a word

export const motion = {
  t: 0, // s
  poses: [] as Float32Array[], // x y z and quaternion w x y z, by frame
  controls: [] as number[], // values
  received: 0, // messages with poses
  drawn: 0, // pictures
  renewed: 0, // changes of shapes
  heard: 0, // strikes
  shakes: 0, // of the picture
  care: "quick" as Care, // of the last picture
  view: null as View | null,
  between: null as Between | null, // poses of messages
};

/** Whether the machine waits for a touch or is paused. */
export const isStanding = (): boolean => Boolean(status.value?.waiting) || status.value?.state === "paused";
export const isRunning = (): boolean => status.value?.state === "running";

/** Whether a machine was shown, and its server is gone. */
export const lost = computed(() => !connected.value && hello.value !== null);

/** The text in the header; if the server is gone, it does not repeat the last state. */
export const sentence = computed(() => {
  if (trouble.value) return trouble.value;
  if (failed.value) return phrase("preparation failed");
  if (!connected.value) return phrase(hello.value ? "not connected: the server does not answer" : "connecting");
  const now = status.value;
  if (preparing.value) return phrase("preparing: {stage}", { stage: translated(preparing.value.stage) });
  if (!now) return phrase("connecting");
  const rests = now.state === "running" && pictures.value === 0; // nothing has moved: nothing was drawn
  const named = [now.state, now.reason].filter(Boolean).map(translated).join(": ");
  const state = now.waiting ? phrase("waiting for a touch") : now.reason || !rests ? named : phrase("resting");
  const words = looking.value ? [phrase("looking back"), state] : [state];
  if (!hello.value?.touch) words.push(phrase("watching only"));
  if (pictures.value > 0) words.push(phrase("{n} frames/s", { n: pictures.value }));
  if (pictures.value > 0 && level.value !== "full") words.push(translated(level.value));
  if (now.watchers > 1) words.push(phrase("{n} watch", { n: now.watchers }));
  if (now.late) words.push(phrase("fell behind {n}×", { n: now.late }));
  if (now.refused) words.push(phrase("{n} refused", { n: now.refused }));
  return words.join(" · ");
});
export const alarming = computed(() =>
  Boolean(trouble.value || failed.value) || lost.value || status.value?.state === "safe");
