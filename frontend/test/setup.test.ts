import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, readSetup, unpacked, type Setup } from "../src/studio/setup.ts";

const setup: Setup = {
  machine: "Klavier “ß”", dials: { k: 1.5, "a b": -2e-3 }, plots: ["x.q", "y.q over x.q", "a, b"],
  view: { target: [0, 1, 2], distance: 3, azimuth: 0.1, elevation: 0.2, follow: true, seat: null },
  views: { names: ["Seat", "Outside"], arrangement: "split" },
};

test("a setup comes back from a link, which is safe in an address", () => {
  assert.match(packed(setup), /^[\w-]+$/);
  assert.deepEqual(unpacked(packed(setup)), setup);
  assert.deepEqual(unpacked(packed({ ...setup, view: null })), { ...setup, view: null });
});

test("what is no setup is none", () => {
  const broken: unknown[] = [
    null, 7, [], {}, { ...setup, dials: [] }, { ...setup, dials: { k: "1" } }, { ...setup, plots: [1] }, { ...setup, machine: 3 },
    { ...setup, view: { target: [0, 0] } }, { ...setup, view: { ...setup.view, distance: null } }, { ...setup, view: undefined },
    { ...setup, views: { names: ["a", "b", "c"], arrangement: "split" } },
    { ...setup, views: { names: ["a"], arrangement: "pile" } },
    { ...setup, plots: Array.from({ length: 1000 }, () => "x") },
  ];
  for (const one of broken) assert.equal(readSetup(JSON.stringify(one) ?? ""), null, JSON.stringify(one));
  for (const text of ["", "!!", "e30", "x".repeat(50_000)]) assert.equal(unpacked(text), null);
});

test("only what belongs to a setup is taken over", () => {
  assert.deepEqual(readSetup(JSON.stringify({ ...setup, token: "secret" })), setup);
});
