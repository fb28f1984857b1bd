// The menu of setups: saved under a name in this browser, saved as a file, or shared as a link without the token.
import { phrase } from "../language/language.ts";
import { taken } from "../page/address.ts";
import { byId, download, element } from "../page/dom.ts";
import { LONGEST, packed, readSetup, unpacked, type Setup } from "./setup.ts";

const KEPT = "setups", SHOWN = 10; // SHOWN: parameters that a question lists

/** The setup in the address of the page; it is removed from the address. */
export const linkedSetup = (): Setup | null => {
  const text = taken("setup");
  return text ? unpacked(text) : null;
};

/** A setup from a link. Its parameters are set only if the user agrees, because a link may come from anybody. */
export const confirmed = (setup: Setup): Setup => {
  const values = Object.entries(setup.dials).map(([name, x]) => `${name} = ${x}`);
  const shown = `${values.slice(0, SHOWN).join("\n")}${values.length > SHOWN ? "\n…" : ""}`;
  const question = phrase("This link sets parameters of the machine:\n{values}\nSet them?", { values: shown });
  const agreed = !values.length || confirm(question);
  return agreed ? setup : { ...setup, dials: {} };
};

export const makeSetups = (machine: string, now: () => Setup, apply: (setup: Setup) => void): void => {
  const key = `${KEPT}:${machine}`, list = byId("setup-list"), name = byId<HTMLInputElement>("setup-name");
  const say = (text: string) => { byId("setup-note").textContent = text; };
  const kept = (): Record<string, Setup> => {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    const read = Object.entries(all as object).map(([title, one]) => [title, readSetup(JSON.stringify(one))] as const);
    return Object.fromEntries(read.filter((pair): pair is [string, Setup] => pair[1] !== null));
  };
  const keep = (all: Record<string, Setup>) => {
    try {
      localStorage.setItem(key, JSON.stringify(all));
    } catch {
      say(phrase("This browser cannot store setups: save a file instead."));
    }
    show();
  };
  const take = (setup: Setup | null, from: string) => {
    if (!setup) return say(phrase("{name} is not a setup of the studio.", { name: from }));
    const other = { name: from, machine: setup.machine };
    if (setup.machine !== machine) return say(phrase("{name} belongs to another machine: {machine}.", other));
    apply(setup);
    say(phrase("{name} is applied.", { name: from }));
  };
  const show = () => {
    list.replaceChildren(...Object.entries(kept()).map(([title, setup]) => {
      const drop = element("button", { textContent: "×", title: phrase("Remove"), onclick: () => {
        keep(Object.fromEntries(Object.entries(kept()).filter(([other]) => other !== title)));
      } });
      drop.setAttribute("aria-label", phrase("Remove {name}", { name: title }));
      const load = element("button", { className: "word", textContent: title, onclick: () => take(setup, title) });
      return element("li", {}, load, drop);
    }));
  };
  byId("setup-save").onclick = () => {
    const title = name.value.trim();
    if (!title) return say(phrase("Enter a name."));
    keep({ ...kept(), [title]: now() });
    name.value = "";
    say(phrase("{name} is saved in this browser.", { name: title }));
  };
  byId("setup-link").onclick = () => {
    const link = `${location.origin}${location.pathname}#setup=${packed(now())}`;
    byId<HTMLInputElement>("setup-address").value = link;
    byId("setup-address").hidden = false;
    byId<HTMLInputElement>("setup-address").select();
    const copied = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error());
    copied.then(() => say(phrase("Link copied.")), () => say(phrase("Copy this link.")));
  };
  byId("setup-file").onclick = () => download(new Blob([JSON.stringify(now(), null, 2)], { type: "application/json" }), `${machine}.studio.json`);
  const file = byId<HTMLInputElement>("setup-open");
  file.onchange = async () => {
    const [chosen] = file.files ?? [];
    if (chosen) take(chosen.size > LONGEST ? null : readSetup(await chosen.text()), chosen.name);
    file.value = "";
  };
  show();
};
