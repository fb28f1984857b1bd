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

export const connect = (listener: Listener): Wire => {
  let socket: WebSocket;
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/socket${location.search}`);
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
