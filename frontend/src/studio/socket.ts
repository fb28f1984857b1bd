// One socket: what comes is handed on, what the hands do is sent; a server that is gone is called again and again.
import type { Message, Told } from "../contract.ts";

const AGAIN = 1000; // ms

export interface Wire {
  send(message: Message): void;
  close(): void;
}
export interface Listener {
  told(message: Told): void;
  streamed(data: ArrayBuffer): void;
  opened(): void;
  closed(): void;
}

// The token comes in the fragment, or is typed; it stays in this tab, and leaves the address bar at once.
const KEPT = "token";
const keepToken = () => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  sessionStorage.setItem(KEPT, given);
  history.replaceState(null, "", location.pathname);
};
const offers = () => {
  const bytes = [...new TextEncoder().encode(sessionStorage.getItem(KEPT) ?? "")];
  return ["symbody", `token.${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`];
};
export const askForToken = (): void => {
  const token = prompt("The token of this studio, to touch what runs:");
  if (!token) return;
  sessionStorage.setItem(KEPT, token.trim());
  location.reload();
};

export const connect = (listener: Listener): Wire => {
  let socket: WebSocket;
  keepToken();
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/socket`, offers());
    socket.binaryType = "arraybuffer";
    socket.onopen = () => listener.opened();
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      (typeof data === "string" ? listener.told(JSON.parse(data) as Told) : listener.streamed(data));
    socket.onclose = () => { listener.closed(); setTimeout(open, AGAIN); };
  };
  open();
  return {
    send: (message) => { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); },
    close: () => socket.close(),
  };
};
