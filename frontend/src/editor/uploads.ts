// A file that is dropped on a body, or chosen for an analysis: it is announced, then sent in binary parts.
import { phrase } from "../language/language.ts";
import type { Send } from "./data.ts";

const LARGEST = 30_000_000, PART = 32_768; // bytes of a file and of a part, as uploads.py has them
const PAUSE = 10; // ms between two parts: a server takes 150 messages in a second

export interface Uploads {
  /** Sends a file; body: it becomes a look of this body; "": data for analyses. */
  send(file: File, body: string): Promise<void>;
  /** The server has refused something: what is under way ends. */
  stop(): void;
}
export const makeUploads = (
  order: Send, bytes: (part: ArrayBuffer) => void, say: (text: string, warns?: boolean) => void,
): Uploads => {
  let sent = 0; // files
  return {
    send: async (file, body) => {
      const { name, size } = file;
      if (size > LARGEST) return say(phrase("{name} is too large: at most {n} MB", { name, n: LARGEST / 1e6 }), true);
      if (!size) return say(phrase("{name} is empty", { name }), true);
      const own = ++sent, content = await file.arrayBuffer();
      say(phrase("sending {name} …", { name }));
      order({ do: "sendfile", name: name.slice(-120), size, body });
      for (let at = 0; at < size; at += PART) {
        if (sent !== own) return;
        bytes(content.slice(at, at + PART));
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    },
    stop: () => { sent++; },
  };
};

/** Files that are dropped on an element; bodyAt: the body under a place of the page. */
export const takeDrops = (
  target: HTMLElement, bodyAt: (x: number, y: number) => string | null, take: (file: File, body: string | null) => void,
): void => {
  const holds = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const mark = (on: boolean) => target.classList.toggle("takes", on);
  target.addEventListener("dragover", (event) => { if (holds(event)) { event.preventDefault(); mark(true); } });
  target.addEventListener("dragleave", () => mark(false));
  target.addEventListener("drop", (event) => {
    mark(false);
    if (!holds(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer!.files;
    if (file) take(file, bodyAt(event.clientX, event.clientY));
  });
};
