// What the address of a page keeps after "#": it survives a reload and goes with a copied address.
const told = () => new URLSearchParams(location.hash.slice(1));

export const kept = (name: string): string | null => told().get(name);

/** Keep a value in the address; null: remove it. */
export const keep = (name: string, value: string | null): void => {
  const now = told();
  if (value === null) now.delete(name);
  else now.set(name, value);
  history.replaceState(null, "", location.pathname + (now.size ? `#${now}` : ""));
};

/** The same value, removed from the address: it is used once, or secret. */
export const taken = (name: string): string | null => {
  const value = kept(name);
  if (value !== null) keep(name, null);
  return value;
};
