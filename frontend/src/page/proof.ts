// Whether the server at this address knows the token already. Another program may listen there after the server has ended.
const LONG = 5000; // ms until an answer is given up
const encoder = new TextEncoder();
export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** null: there is no answer, or this browser cannot check one. */
export const knowsToken = async (token: string, folder: string): Promise<boolean | null> => {
  if (!token || !isSecureContext) return null;
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const right = hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`symbody proof ${nonce}`))));
  try {
    const answer = await fetch(`${folder}proof?${nonce}`, { cache: "no-store", signal: AbortSignal.timeout(LONG) });
    return answer.ok && (await answer.text()).trim() === right;
  } catch {
    return null;
  }
};
