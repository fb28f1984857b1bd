import assert from "node:assert/strict";
import { test } from "node:test";
import { paneAt, panesOf, scaledPane } from "../src/view/panes.ts";

test("two halves fill the canvas, beside each other if it is wide", () => {
  for (const aspect of [0.5, 2]) {
    const [a, b] = panesOf(2, "split", aspect);
    assert.equal(a.width * a.height + b.width * b.height, 1);
    assert.equal(aspect > 1 ? b.left : b.top, 0.5);
  }
});

test("a small view is inside the large one, and the pointer on it belongs to it", () => {
  const panes = panesOf(2, "inset", 1.6).map((pane) => scaledPane(pane, 1600, 1000)), [, small] = panes;
  assert.ok(small.left > 800 && small.left + small.width <= 1600 && small.top >= 0);
  assert.equal(paneAt(panes, small.left + 5, small.top + 5), 1);
  assert.equal(paneAt(panes, 20, 900), 0);
  assert.equal(paneAt(panes, -20, 900), 0); // a drag that has left the canvas
});

test("one view is the whole canvas", () => assert.deepEqual(panesOf(1, "split", 1), [{ left: 0, top: 0, width: 1, height: 1 }]));
