// Texts in the language of the person. The catalogue holds all texts of the pages and of the built-in machines: English
// texts are the keys, and what a language lacks is shown in English.
import catalogue from "./catalogue.json" with { type: "json" };
import { preferences } from "./preferences.ts";

export type PageText = keyof typeof catalogue.page;
type Values = Record<string, string | number>;
type Entries = Record<string, Record<string, string>>; // translations by language, by English text

/** Languages by their own names. */
export const LANGUAGES: Record<string, string> = { en: "English", de: "Deutsch" };
const PLACE = /\{(\w+)\}/g; // of a value in a text
const MOST_KEPT = 2000; // translations of texts with values

/** The language that a person prefers, or the first known one of the browser. */
export const languageOf = (preferred: string, browser: readonly string[]): string =>
  [preferred, ...browser.map((tag) => tag.slice(0, 2))].find((tag) => tag in LANGUAGES) ?? "en";

export const language = languageOf(preferences.language, typeof navigator === "undefined" ? [] : navigator.languages ?? []);

const filled = (text: string, values: Values) => text.replace(PLACE, (place, name: string) => String(values[name] ?? place));

/** Functions that translate into a language: texts of the page by their key, and texts of machines as they come. */
export const translator = (into: string, page: Entries, machines: Entries) => {
  const all: Entries = { ...machines, ...page }, kept = new Map<string, string>();
  const exact = (text: string) => (Object.hasOwn(all, text) ? all[text][into] : undefined);
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const patterns = Object.keys(machines).filter((text) => text.search(PLACE) >= 0 && machines[text][into]).map((text) => {
    const names = [...text.matchAll(PLACE)].map(([, name]) => name);
    return { form: new RegExp(`^${text.split(/\{\w+\}/).map(escaped).join("(.+?)")}$`), names, text: machines[text][into] };
  });
  const matched = (text: string): string | undefined => {
    for (const { form, names, text: other } of patterns) {
      const found = form.exec(text);
      if (found) return filled(other, Object.fromEntries(names.map((name, k) => [name, translated(found[k + 1])])));
    }
    return undefined;
  };
  /** A text of the page, with values in the places of their names. */
  const phrase = (text: string, values: Values = {}): string => filled(exact(text) ?? text, values);
  /** A text of a machine or of the server; one with values is found by its form. */
  const translated = (text: string): string => {
    if (into === "en" || !text) return text;
    const known = exact(text) ?? kept.get(text);
    if (known !== undefined) return known;
    const found = matched(text) ?? text;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(text, found);
    return found;
  };
  return { phrase, translated };
};

const made = translator(language, catalogue.page, catalogue.machines);
export const translated = made.translated;
export const phrase: (text: PageText, values?: Values) => string = made.phrase;

const SPOKEN = ["title", "aria-label", "placeholder", "alt"]; // attributes that a person reads or hears

/** Translates what is written inside an element of a page. */
export const translateElement = (root: HTMLElement): void => {
  if (language === "en") return;
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text, words = node.data.trim();
    if (!words || ["SCRIPT", "STYLE"].includes(node.parentElement?.tagName ?? "")) continue;
    node.data = node.data.replace(words, () => translated(words));
  }
  for (const one of [root, ...root.querySelectorAll("*")])
    for (const name of SPOKEN) {
      const words = one.getAttribute(name);
      if (words) one.setAttribute(name, translated(words));
    }
};

/** Translates a whole page, and says so to screen readers. */
export const translatePage = (): void => {
  document.documentElement.lang = language;
  document.title = translated(document.title);
  translateElement(document.body);
};
