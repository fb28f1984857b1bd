// How long a movement between two messages takes: as long as the last intervals between messages.
const SHARE = 0.2; // of a new interval in the mean one

export interface Tempo {
  /** A message, which came now (ms). */
  told(now: number): void;
  /** How much of the way to the newest message is covered now (ms): 0 to 1. */
  share(now: number): number;
}

/** longest: interval (ms) after which there is nothing to move between; first: interval before any is known. */
export const makeTempo = (longest: number, first = 0): Tempo => {
  let since = -Infinity, interval = first;
  return {
    told: (now) => {
      if (now - since < longest) interval += SHARE * (now - since - interval);
      since = now;
    },
    share: (now) => (interval > 0 ? Math.min(Math.max((now - since) / interval, 0), 1) : 1),
  };
};
