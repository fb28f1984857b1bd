import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormContent, PageData } from "../src/contract.ts";
import { formMessage, pageNamed } from "../src/studio/machine_pages.ts";

const page = (name: string): PageData => ({ name, panels: [], plots: [], boards: [], forms: [], charts: [] });

test("the page of the address is opened, or the first one", () => {
  const pages = [page("Drive"), page("Study")];
  assert.equal(pageNamed(pages, "Study").name, "Study");
  for (const other of [null, "", "Fly"]) assert.equal(pageNamed(pages, other).name, "Drive");
});
test("a form sends numbers as numbers, and cannot choose its verb", () => {
  const field = { label: "", low: 0, high: 1, most: 9, choices: [] };
  const form: FormContent = { verb: "enter", title: "", button: "", fields: [
    { ...field, name: "name", kind: "text" }, { ...field, name: "laps", kind: "number" }, { ...field, name: "do", kind: "text" },
  ] };
  assert.deepEqual(formMessage(form, { name: " Ada ", laps: "3", do: "reset" }), { do: "enter", name: "Ada", laps: 3 });
});
