// What the page knows, as signals: what is shown follows from them.
import { computed, signal } from "@preact/signals-core";
import type { Hello, Preparing, Status } from "../contract.ts";

export const connected = signal(false);
export const hello = signal<Hello | null>(null);
export const status = signal<Status | null>(null);
export const preparing = signal<Preparing | null>(null); // until there is something to show
export const failed = signal(""); // why there will be nothing to show
export const pictures = signal(0); // in the last second
export const looking = signal(false); // at an earlier instant
export const trouble = signal(""); // why nothing is drawn

/** What the header says; it never tells of a server that is gone what that one told last. */
export const sentence = computed(() => {
  if (trouble.value) return trouble.value;
  if (failed.value) return "could not be prepared";
  if (!connected.value) return hello.value ? "not connected: the server is gone" : "connecting";
  const now = status.value;
  if (preparing.value) return `preparing: ${preparing.value.stage}`;
  if (!now) return "connecting";
  const state = now.waiting ? "waiting for a touch" : now.reason ? `${now.state}: ${now.reason}` : now.state;
  const words = looking.value ? ["looking back", state] : [state];
  if (!hello.value?.touch) words.push("watching only");
  if (now.state === "running" || pictures.value) words.push(`${pictures.value} frames/s`); // what stands is drawn once
  if (now.watchers > 1) words.push(`${now.watchers} watch`);
  if (now.late) words.push(`fell behind ${now.late}×`);
  if (now.refused) words.push(`${now.refused} refused`);
  return words.join(" · ");
});
export const alarming = computed(() =>
  Boolean(trouble.value || failed.value) || (!connected.value && hello.value !== null) || status.value?.state === "safe");
