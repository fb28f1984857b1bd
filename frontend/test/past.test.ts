import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../src/contract.ts";
import { makePast } from "../src/studio/past.ts";

const watched = (speed = 1) => {
  const sent: Message[] = [], world = { ms: 0, pace: speed };
  const past = makePast((message) => sent.push(message), () => world.pace, () => world.ms);
  return { sent, world, past };
};

test("one who looks back asks for an instant, and the machine goes on meanwhile", () => {
  const { sent, world, past } = watched();
  past.told(20);
  past.look(15);
  assert.deepEqual(sent, [{ do: "lookback", t: 15 }]);
  world.ms = 3000;
  past.told(15); // poses of the past do not move the machine's own time
  assert.equal(past.now(), 23);
  past.live();
  assert.deepEqual(sent.at(-1), { do: "lookback", t: null });
  assert.equal(past.at, null);
});

test("nothing is seen of what is still to come", () => {
  const { sent, past } = watched();
  past.told(5);
  past.look(9);
  assert.deepEqual(sent, [{ do: "lookback", t: 5 }]);
});

test("a replay goes on from there at the machine's pace, and ends where it is now", () => {
  const { sent, world, past } = watched(0);
  past.told(10);
  past.look(9.5);
  past.tick(0);
  past.toggle();
  for (world.ms = 100; past.at !== null && world.ms < 5000; world.ms += 100) past.tick(world.ms);
  const asked = sent.map((message) => (message.do === "lookback" ? message.t : NaN));
  assert.deepEqual(asked.at(-1), null);
  const times = asked.slice(0, -1) as number[];
  assert.ok(times.length > 3 && times.every((t, k) => k === 0 || t > times[k - 1]) && times.at(-1)! < 10);
  assert.ok(world.ms >= 500 && world.ms <= 800); // half a second, at the pace of the clock
});
