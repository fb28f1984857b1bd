// The lists with which a person chooses language and units.
import { language, LANGUAGES } from "./language.ts";
import { prefer, preferences, type Preferences } from "./preferences.ts";
import { OFFERED } from "./units.ts";

const list = (id: string): HTMLSelectElement | null => document.getElementById(id) as HTMLSelectElement | null;

/** Fills the lists of a page: `prefer-language`, `prefer-angle` and so on, as far as it has them. */
export const fillPreferences = (): void => {
  const chosen = (name: keyof Preferences, options: [string, string][], value: string) => {
    const made = list(`prefer-${name}`);
    if (!made) return;
    for (const [text, option] of options) made.add(new Option(text, option));
    made.value = value;
    made.onchange = () => prefer(name, made.value);
  };
  chosen("language", Object.entries(LANGUAGES).map(([tag, name]) => [name, tag]), language);
  for (const [family, units] of Object.entries(OFFERED) as [keyof typeof OFFERED, string[]][])
    chosen(family, units.map((unit) => [unit, unit]), preferences[family]);
};
