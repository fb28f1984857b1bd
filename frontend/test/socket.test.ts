import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { connect } from "../src/page/socket.ts";

const NOTICED = 2000; // ms within which a server that sends nothing is noticed
const BEAT = 500; // ms between two messages of a server without news, as studio/session.py has it

class FakeSocket {
  static OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 1;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: () => void;
  address: string;
  offers: string[];
  constructor(address: string, offers: string[]) {
    [this.address, this.offers] = [address, offers];
    FakeSocket.all.push(this);
  }
  send() { /* nobody listens */ }
  close() { this.readyState = 3; }
}
const kept = new Map<string, string>();
const browser = {
  WebSocket: FakeSocket,
  location: { protocol: "http:", host: "127.0.0.1:8765", pathname: "/piano/", hash: "", reload: () => undefined },
  sessionStorage: {
    getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  },
  isSecureContext: true,
};
Object.assign(globalThis, browser);

/** A page that is connected, with a log of what it notices. */
const connected = () => {
  const log: string[] = [], note = (word: string) => () => void log.push(word);
  const nothing = () => undefined;
  connect({ told: nothing, streamed: nothing, opened: note("opened"), closed: note("closed"), silent: note("silent") });
  const socket = FakeSocket.all.at(-1)!;
  socket.onopen?.();
  return { log, socket };
};
const settled = async () => { // what other threads compute is ready when as much has been computed after it
  for (let k = 0; k < 50; k++) {
    await crypto.subtle.digest("SHA-256", new Uint8Array(1000));
    await new Promise((resolve) => setImmediate(resolve));
  }
};

test("a server that sends nothing is noticed within two seconds, and one that beats is not", () => {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const { log, socket } = connected();
  for (let t = 0; t < 60_000; t += BEAT) {
    mock.timers.tick(BEAT);
    socket.onmessage?.({ data: "{}" });
  }
  assert.deepEqual(log, ["opened"]);
  mock.timers.tick(NOTICED);
  assert.deepEqual(log, ["opened", "silent"]);
  mock.timers.tick(10 * NOTICED);
  assert.deepEqual(log, ["opened", "silent"]); // once
  socket.onmessage?.({ data: "{}" });
  assert.deepEqual(log, ["opened", "silent", "opened"]); // it is heard again
  mock.timers.reset();
});

test("a socket that closes is opened again, with the token where the server has proved nothing", async () => {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  kept.set("token", "a chosen one");
  const asked = mock.method(globalThis, "fetch", () => Promise.resolve(new Response("There is no proof.", { status: 404 })));
  const { log, socket } = connected();
  await settled();
  assert.equal(asked.mock.callCount(), 1);
  socket.onclose?.();
  mock.timers.tick(1000);
  await settled();
  const again = FakeSocket.all.at(-1)!;
  assert.notEqual(again, socket);
  assert.deepEqual(again.offers, socket.offers);
  assert.equal(again.address, "ws://127.0.0.1:8765/piano/socket");
  assert.deepEqual(log, ["opened", "closed"]);
  asked.mock.restore();
  mock.timers.reset();
});

/** What a server with this token answers. */
const proves = (token: string) => async (address: string | URL | Request) => {
  const nonce = String(address).split("?")[1], encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, encoder.encode(`symbody proof ${nonce}`));
  return new Response(Buffer.from(signed).toString("hex"));
};

test("a server that has proved that it knows the token must prove it again; a stranger never gets it", async () => {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  kept.set("token", "0123456789abcdef0123456789abcdef");
  const asked = mock.method(globalThis, "fetch", proves("0123456789abcdef0123456789abcdef"));
  const { socket } = connected();
  await settled();
  const [before, again] = [FakeSocket.all.length, async () => { mock.timers.tick(1000); await settled(); }];
  asked.mock.mockImplementation(() => Promise.reject(new TypeError("nobody listens")));
  socket.onclose?.();
  await again();
  await again();
  assert.equal(FakeSocket.all.length, before); // it waits
  asked.mock.mockImplementation(proves("0123456789abcdef0123456789abcdef"));
  await again();
  const second = FakeSocket.all.at(-1)!;
  assert.deepEqual(second.offers, socket.offers);
  asked.mock.mockImplementation(() => Promise.resolve(new Response("ff".repeat(32))));
  second.onclose?.();
  await again();
  assert.equal(FakeSocket.all.length, before + 2);
  assert.deepEqual(FakeSocket.all.at(-1)!.offers, ["symbody", "token."]);
  assert.equal(kept.has("token"), false);
  asked.mock.restore();
  mock.timers.reset();
});
