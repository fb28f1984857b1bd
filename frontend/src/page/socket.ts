// The socket of the page: messages are passed on and sent; if the connection is lost, it is opened again.
import type { Message, ServerMessage } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { taken } from "./address.ts";

const AGAIN = 1000; // ms between two attempts
const CHECK = 400, SILENT = 5; // ms between two checks, and checks in a row without a message: the server beats twice a second

export interface Wire<Out = Message> {
  send(message: Out): void;
  /** A part of a file; only some servers take it. */
  sendBytes(part: ArrayBuffer): void;
  close(): void;
  /** Load the page again for another machine, whose messages this one does not understand. */
  reload(): void;
}
export interface Listener<In = ServerMessage> {
  told(message: In): void;
  streamed(data: ArrayBuffer): void;
  opened(): void; // also when a server that was silent is heard again
  closed(): void;
  /** The server sends nothing any more, but the connection is open. */
  silent(): void;
}

// The token comes in the fragment of the address, or is typed; it stays in this tab, and is removed from the address bar.
const KEPT = "token";
const keepToken = () => {
  const given = taken("token");
  if (given) sessionStorage.setItem(KEPT, given);
};
const offers = () => {
  const bytes = [...new TextEncoder().encode(sessionStorage.getItem(KEPT) ?? "")];
  return ["symbody", `token.${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`];
};
export const askForToken = (): void => {
  const token = prompt(phrase("Enter the token of this studio to control the machine:"));
  if (!token) return;
  sessionStorage.setItem(KEPT, token.trim());
  location.reload();
};

export const connect = <In = ServerMessage, Out = Message>(listener: Listener<In>): Wire<Out> => {
  let socket: WebSocket, quiet = 0; // checks since the last message; a page that was frozen counts one
  keepToken();
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws", folder = location.pathname.replace(/[^/]*$/, "");
    socket = new WebSocket(`${scheme}://${location.host}${folder}socket`, offers()); // each page has its own, beside it
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { quiet = 0; listener.opened(); };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (quiet >= SILENT) listener.opened();
      quiet = 0;
      if (typeof data === "string") listener.told(JSON.parse(data) as In);
      else listener.streamed(data);
    };
    socket.onclose = () => { listener.closed(); setTimeout(open, AGAIN); };
  };
  open();
  setInterval(() => { if (socket.readyState === WebSocket.OPEN && ++quiet === SILENT) listener.silent(); }, CHECK);
  return {
    send: (message) => { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); },
    sendBytes: (part) => { if (socket.readyState === WebSocket.OPEN) socket.send(part); },
    close: () => socket.close(),
    reload: () => {
      socket.onmessage = socket.onclose = null;
      location.reload();
    },
  };
};
