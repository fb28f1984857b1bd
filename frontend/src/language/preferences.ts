// What a person prefers on all pages of this browser: the language, and units of angles, speeds and pressures.
export interface Preferences {
  language: string; // "": that of the browser
  angle: string; // units; "": as the machine has it
  speed: string;
  pressure: string;
}
const KEPT = "preferences";
const NONE: Preferences = { language: "", angle: "", speed: "", pressure: "" };

/** Preferences from a text that may be anything. */
export const readPreferences = (text: string | null): Preferences => {
  try {
    const told: unknown = JSON.parse(text ?? "{}");
    const given = Object.entries(typeof told === "object" && told !== null ? told : {});
    return { ...NONE, ...Object.fromEntries(given.filter(([name, x]) => name in NONE && typeof x === "string")) };
  } catch {
    return NONE;
  }
};

const stored = (): string | null => {
  try {
    return localStorage.getItem(KEPT);
  } catch { // a browser may forbid it, and a frame of a notebook does
    return null;
  }
};

export const preferences: Preferences = readPreferences(stored());

/** Keeps one preference; all texts are written anew. */
export const prefer = (name: keyof Preferences, value: string): void => {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...preferences, [name]: value }));
  } finally {
    location.reload();
  }
};
