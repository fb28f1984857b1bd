// The socket of the page: messages are passed on and sent; if the connection is lost, it is opened again.
import type { Message, ServerMessage } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { taken } from "./address.ts";
import { hex, knowsToken } from "./proof.ts";

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
const token = () => sessionStorage.getItem(KEPT) ?? "";
const offers = () => ["symbody", `token.${hex(new TextEncoder().encode(token()))}`];
export const askForToken = (): void => {
  const typed = prompt(phrase("Enter the token of this studio to control the machine:"));
  if (!typed) return;
  sessionStorage.setItem(KEPT, typed.trim());
  location.reload();
};

export const connect = <In = ServerMessage, Out = Message>(listener: Listener<In>): Wire<Out> => {
  let socket: WebSocket, quiet = 0; // checks since the last message; a page that was frozen counts one
  let proves = false; // whether the server has shown that it knows our token: then it must show it again
  const folder = location.pathname.replace(/[^/]*$/, "");
  keepToken();
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${folder}socket`, offers()); // each page has its own, beside it
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      quiet = 0;
      listener.opened();
      if (!proves) void knowsToken(token(), folder).then((known) => { proves = known === true; });
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (quiet >= SILENT) listener.opened();
      quiet = 0;
      if (typeof data === "string") listener.told(JSON.parse(data) as In);
      else listener.streamed(data);
    };
    socket.onclose = () => { listener.closed(); setTimeout(openAgain, AGAIN); };
  };
  const openAgain = async () => {
    const known = proves ? await knowsToken(token(), folder) : true;
    if (known === null) return void setTimeout(openAgain, AGAIN);
    if (!known) { // a stranger gets no token, also not by a page that it sends
      proves = false;
      sessionStorage.removeItem(KEPT);
    }
    open();
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
