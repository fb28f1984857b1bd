// Every text of the pages is in the catalogue; a language that lacks texts falls back to English.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import catalogue from "../src/language/catalogue.json" with { type: "json" };
import { languageOf, translator } from "../src/language/language.ts";
import { readPreferences } from "../src/language/preferences.ts";
import { inPreferredUnits, shownIn } from "../src/language/units.ts";

const ROOT = join(import.meta.dirname, "..");
const page: Record<string, Record<string, string>> = catalogue.page, machines: typeof page = catalogue.machines;
const NONE = readPreferences(null);

// -- what the sources say ------------------------------------------------------------------------------------------

const SHOWN = new Set(["textContent", "title", "placeholder", "alt", "innerText", "label"]); // properties that a person reads
const SPOKEN = new Set(["aria-label", "title", "placeholder", "aria-valuetext", "alt"]);
const SAYING = new Set(["say", "alert", "confirm", "prompt"]);
const TRANSLATES = new Set(["phrase", "translated", "read"]);
const WORDS = /[A-Za-z]{2,}/, UNITS = /^\W*(kg|kg m²|ms|Hz|WebGL|symbody studio)?\W*$/;

/** Texts in an expression that are not translated. */
const bare = (node: ts.Node): string[] => {
  if (ts.isCallExpression(node) && TRANSLATES.has(node.expression.getText())) return [];
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
    return WORDS.test(node.text) && !UNITS.test(node.text) ? [node.text] : [];
  if (ts.isConditionalExpression(node)) return [...bare(node.whenTrue), ...bare(node.whenFalse)];
  if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText())) return [];
  if (ts.isCallExpression(node) || ts.isArrowFunction(node) || ts.isElementAccessExpression(node)) return [];
  return node.getChildren().flatMap(bare);
};
/** Texts of a source that a person reads, and that are not in the catalogue. */
const untranslated = (name: string, text: string): string[] => {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true), found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && SHOWN.has(node.name.getText())) found.push(...bare(node.initializer));
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
      && ts.isPropertyAccessExpression(node.left) && SHOWN.has(node.left.name.text)) found.push(...bare(node.right));
    if (ts.isNewExpression(node) && node.expression.getText() === "Option") found.push(...bare(node.arguments![0]));
    if (ts.isCallExpression(node)) {
      const called = node.expression.getText(), [first, second] = node.arguments;
      if (SAYING.has(called)) found.push(...bare(first));
      if (called.endsWith(".setAttribute") && ts.isStringLiteral(first) && SPOKEN.has(first.text)) found.push(...bare(second));
      if (called === "element") found.push(...node.arguments.slice(2).filter(ts.isStringLiteralLike).flatMap(bare));
      if (called === "phrase" && !ts.isIdentifier(first) && !ts.isElementAccessExpression(first)) {
        const texts = first.getText().match(/"(?:[^"\\]|\\.)*"/g)?.map((one) => JSON.parse(one) as string) ?? [];
        const kinds = ts.isConditionalExpression(first) ? texts.filter((one) => !first.condition.getText().includes(`"${one}"`)) : texts;
        found.push(...kinds.filter((one) => !(one in page)));
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
};

test("all texts of the sources are in the catalogue", () => {
  const files = globSync("src/{studio,gallery,editor,viewer,page,language}/*.ts", { cwd: ROOT });
  assert.ok(files.length > 40);
  for (const file of files) assert.deepEqual(untranslated(file, readFileSync(join(ROOT, file), "utf8")), [], file);
});
test("a text outside the catalogue would be found", () => {
  const found = (text: string) => untranslated("x.ts", text);
  assert.deepEqual(found('box.textContent = "Press here";'), ["Press here"]);
  assert.deepEqual(found("box.title = `At ${x} seconds`;"), ["At ", " seconds"].filter((one) => WORDS.test(one)));
  assert.deepEqual(found('element("b", { textContent: on ? "Yes" : phrase("No such text") });'), ["Yes", "No such text"]);
  const calls = 'box.setAttribute("aria-label", "Close it"); say("Done."); new Option("One view", "");';
  assert.deepEqual(found(calls), ["Close it", "Done.", "One view"]);
  assert.deepEqual(found('box.textContent = phrase("Start"); box.title = `${x} kg`; if (kind === "a b") box.title = name;'), []);
});
test("all texts of the HTML are in the catalogue", () => {
  for (const name of ["studio", "gallery", "editor", "viewer"]) {
    const html = readFileSync(join(ROOT, "pages", `${name}.html`), "utf8").replace(/<(script|style)>[^]*?<\/\1>/g, "");
    const texts = [...html.matchAll(/>([^<]+)</g)].map(([, text]) => text.trim());
    const spoken = [...html.matchAll(/(?:title|aria-label|placeholder|alt)="([^"]+)"/g)].map(([, text]) => text);
    const all = [...texts, ...spoken].filter((text) => WORDS.test(text) && !text.startsWith("{{") && text !== "L A M I F");
    assert.ok(all.length > 8);
    assert.deepEqual(all.filter((text) => !(text in page)), [], name);
  }
});
test("values of a text have the same names in all languages", () => {
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  for (const [text, others] of Object.entries({ ...page, ...machines }))
    for (const other of Object.values(others)) assert.deepEqual(names(other), names(text), text);
});
test("German is complete", () => {
  assert.deepEqual(Object.keys({ ...page, ...machines }).filter((text) => !({ ...page, ...machines })[text].de), []);
});

// -- translations ----------------------------------------------------------------------------------------------------

test("what a language lacks is shown in English, text by text", () => {
  const some = { Start: { de: "Starten" }, "At {t} s": {}, Close: {} };
  const { phrase, translated } = translator("de", some, { roll: { de: "Wanken" }, pitch: {} });
  assert.equal(phrase("Start"), "Starten");
  assert.equal(phrase("Close"), "Close");
  assert.equal(phrase("At {t} s", { t: 3 }), "At 3 s");
  assert.deepEqual(["roll", "pitch", "unheard of", ""].map(translated), ["Wanken", "pitch", "unheard of", ""]);
});
test("texts with values are found by their form", () => {
  const { translated } = translator("de", {}, {
    "obstacle in {n} m": { de: "Hindernis in {n} m" }, "at its limit: {axis}": { de: "an der Grenze: {axis}" },
    Heave: { de: "Hub" },
    "{a} before {b}": { de: "{b} nach {a}" }, "cost (in {n})": { de: "Kosten (in {n})" },
  });
  assert.equal(translated("obstacle in -3.5 m"), "Hindernis in -3.5 m");
  assert.equal(translated("obstacle in 5 m or so"), "obstacle in 5 m or so");
  assert.equal(translated("at its limit: Heave"), "an der Grenze: Hub"); // the value is translated, too
  assert.equal(translated("x before y"), "y nach x");
  assert.equal(translated("cost (in $&)"), "Kosten (in $&)");
  assert.equal(translated("constructor"), "constructor"); // not a property of all objects
});
test("the language is the preferred one, or the first known one of the browser", () => {
  assert.equal(languageOf("", ["fr-FR", "de-AT", "en"]), "de");
  assert.equal(languageOf("en", ["de"]), "en");
  assert.equal(languageOf("xx", ["yy"]), "en");
});
test("preferences from anywhere are texts", () => {
  assert.deepEqual(readPreferences('{"angle": "°", "speed": 3, "other": "x"}'), { ...NONE, angle: "°" });
  for (const bad of ["", "[", "null", "3", null]) assert.deepEqual(readPreferences(bad), NONE);
});

// -- units -------------------------------------------------------------------------------------------------------------

test("quantities are shown in preferred units", () => {
  const told = { ...NONE, angle: "°", speed: "km/h", pressure: "bar" };
  const near = ([unit, per]: [string, number], name: string, x: number) => {
    assert.equal(unit, name);
    assert.ok(Math.abs(per - x) < 1e-12 * Math.abs(x));
  };
  near(shownIn("rad", told), "°", 180 / Math.PI);
  near(shownIn("rad/s", told), "°/s", 180 / Math.PI);
  near(shownIn("rad/s²", told), "°/s²", 180 / Math.PI);
  near(shownIn("m/s", told), "km/h", 3.6);
  near(shownIn("Pa", told), "bar", 1e-5);
  near(shownIn("km/h", { ...NONE, speed: "m/s" }), "m/s", 1 / 3.6);
  near(shownIn("MPa", told), "bar", 10);
  for (const unit of ["", "m", "N m/rad", "m/s2", "kg", "1/rad"]) assert.deepEqual(shownIn(unit, told), [unit, 1]);
  assert.deepEqual(shownIn("rad", NONE), ["rad", 1]);
});
test("numbers in a text are converted, too", () => {
  const told = { ...NONE, angle: "rad", speed: "km/h" };
  assert.equal(inPreferredUnits("last blow 0.50 m/s", told), "last blow 1.8 km/h");
  assert.equal(inPreferredUnits("swing +90.0°", told), "swing +1.571 rad");
  assert.equal(inPreferredUnits("3 m/s2, 4 m/stone, 5 N", told), "3 m/s2, 4 m/stone, 5 N");
  assert.equal(inPreferredUnits("swing +90.0°", NONE), "swing +90.0°");
});
