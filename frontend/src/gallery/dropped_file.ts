// A model file that is dropped on the page, or chosen: it is sent in parts, since messages are short.
import { phrase } from "../language/language.ts";
import { byId } from "../page/dom.ts";

const LARGEST = 2_000_000, PART = 1000; // characters of a file, as dropped_files.py has it, and of a part: some take six as JSON
const PAUSE = 8; // ms between two parts: a server takes 150 messages in a second

type FileOrder = { do: "file"; name: string; size: number } | { do: "part"; part: string };

/** The parts of a text; none ends within a character of two units. */
export const partsOf = (text: string, length = PART): string[] => {
  const parts: string[] = [], letters = [...text]; // whole characters, as the server counts them
  for (let k = 0; k < letters.length; k += length) parts.push(letters.slice(k, k + length).join(""));
  return parts;
};

/** Takes files; returns a function that stops sending, since the server refused one. */
export const dropFiles = (
  send: (order: FileOrder) => void, say: (text: string, warns?: boolean) => void, may: () => boolean,
): (() => void) => {
  const chosen = byId<HTMLInputElement>("file"), sheet = byId("drop");
  let sent = 0; // files
  const take = async (file: File) => {
    if (!may()) return say(phrase("watching only: without the token files cannot be opened"), true);
    const { name } = file;
    if (file.size > 4 * LARGEST) return say(phrase("{name} is too large: at most {n} MB", { name, n: LARGEST / 1e6 }), true);
    const text = await file.text(), parts = partsOf(text);
    if (!parts.length) return say(phrase("{name} is empty", { name }), true);
    say(phrase("opening {name} …", { name }));
    send({ do: "file", name, size: [...text].length });
    const own = ++sent;
    for (const part of parts) {
      if (sent !== own) return; // refused, or another file
      send({ do: "part", part });
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  };
  byId("open").onclick = () => chosen.click();
  chosen.onchange = () => {
    if (chosen.files?.[0]) void take(chosen.files[0]);
    chosen.value = "";
  };
  const holds = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => { if (holds(event)) { event.preventDefault(); sheet.hidden = false; } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) sheet.hidden = true; });
  addEventListener("drop", (event) => {
    sheet.hidden = true;
    if (!holds(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer!.files;
    if (file) void take(file);
  });
  return () => { sent++; };
};
