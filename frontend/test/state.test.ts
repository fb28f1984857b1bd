import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello, Status } from "../src/contract.ts";
import {
  alarming, connected, failed, hello, looking, lost, pictures, preparing, sentence, status, trouble,
} from "../src/studio/state.ts";

const running: Status = { state: "running", reason: "", speed: 1, late: 0, dials: {}, watchers: 1, refused: 0 };

test("the header never says that what is gone runs", () => {
  assert.equal(sentence.value, "connecting");
  connected.value = true;
  hello.value = { touch: true } as Hello;
  status.value = running;
  assert.match(sentence.value, /^running/);
  assert.equal(alarming.value, false);
  connected.value = false;
  assert.match(sentence.value, /^not connected/);
  assert.equal(alarming.value, true);
  assert.equal(lost.value, true);
  connected.value = true;
  status.value = { ...running, state: "safe", reason: "near a singular position" };
  assert.match(sentence.value, /^safe: near a singular position/);
  assert.equal(alarming.value, true);
  trouble.value = "the picture was lost";
  assert.equal(sentence.value, "the picture was lost");
});

test("the header says what is prepared, and that it could not be", () => {
  [trouble.value, connected.value, hello.value, status.value] = ["", true, null, null];
  preparing.value = { stage: "compiling the equations", share: 0.4 };
  assert.equal(sentence.value, "preparing: compiling the equations");
  assert.equal(alarming.value, false);
  [preparing.value, failed.value] = [null, "no mass"];
  connected.value = false; // the server has ended with that
  assert.equal(sentence.value, "preparation failed");
  assert.equal(alarming.value, true);
  [failed.value, connected.value, hello.value] = ["", true, { touch: true } as Hello];
});

test("the header says that one looks back, and that a machine waits for a touch", () => {
  [trouble.value, connected.value, status.value] = ["", true, { ...running, waiting: true, state: "paused" }];
  assert.match(sentence.value, /^waiting for a touch/);
  [looking.value, status.value] = [true, running];
  assert.match(sentence.value, /^looking back · running/);
  looking.value = false;
});

test("a machine that does not move rests, instead of running at 0 frames a second", () => {
  [trouble.value, connected.value, status.value, pictures.value] = ["", true, running, 0];
  assert.equal(sentence.value, "resting");
  pictures.value = 12;
  assert.equal(sentence.value, "running · 12 frames/s");
});
