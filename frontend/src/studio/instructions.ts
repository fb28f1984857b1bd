// Lines that say what a person may do, in the words for this screen.
import type { Instruction } from "../contract.ts";
import { translated } from "../language/language.ts";

/** Whether the main pointer of this screen is a finger. */
export const isTouched = (): boolean => matchMedia("(pointer: coarse)").matches;

/** The lines for a screen; a line without words for it is left out. */
export const inWordsFor = (touched: boolean, lines: Instruction[]): string[] =>
  lines.map(({ text, touch }) => translated(touched ? touch : text)).filter(Boolean);
