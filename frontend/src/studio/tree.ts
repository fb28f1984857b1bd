// The tree of the model: bodies on bodies, each with its joints; folded, walked and chosen by mouse and keyboard.
import type { BodyCard, JointCard } from "../contract.ts";
import { phrase } from "../language/language.ts";
import { element } from "../page/dom.ts";

export interface Choice {
  card: BodyCard;
  joint: JointCard | null; // null: the body
}
export interface Item {
  label: string;
  detail: string;
  choice: Choice;
  children: Item[];
}

const AXES = ["x", "y", "z"];
/** What a joint lets its body do. */
export const moves = (type: string): string => {
  const axis = AXES[Number(type[1]) - 1];
  if (type === "ball") return phrase("turns any way");
  if (type === "free") return phrase("floats");
  return phrase(type[0] === "R" ? "turns about {axis}" : "slides along {axis}", { axis });
};

/** Joints of each body, then the bodies that it carries; `on`: the frame of what carries them. */
export const itemsOf = (parts: BodyCard[], on = 0): Item[] =>
  parts.filter((card) => card.on === on).map((card) => ({
    label: card.name, detail: "", choice: { card, joint: null },
    children: [
      ...card.joints.map((joint) => ({ label: joint.name, detail: moves(joint.type), choice: { card, joint }, children: [] })),
      ...itemsOf(parts, card.frame),
    ],
  }));

const MANY = 24, OPEN = 1; // bodies from which on only so many levels are unfolded at first

export interface Tree {
  /** Choose a body from elsewhere, by its frame; null: none. */
  choose(frame: number | null): void;
  chosen(): Choice | null;
}

export const makeTree = (list: HTMLElement, parts: BodyCard[], changed: (choice: Choice | null) => void): Tree => {
  const rows: { row: HTMLElement; item: Item; parent: HTMLElement | null }[] = [];
  let now: Choice | null = null;
  const unfold = (row: HTMLElement, open: boolean) => { if (row.ariaExpanded) row.ariaExpanded = String(open); };
  const visible = () => rows.filter(({ row }) => row.offsetParent !== null);
  const focus = (row: HTMLElement) => {
    for (const other of rows) other.row.tabIndex = other.row === row ? 0 : -1;
    row.focus();
  };
  const pick = (item: Item | null) => {
    now = item?.choice ?? null;
    for (const { row, item: other } of rows) row.ariaSelected = String(other === item);
    changed(now);
  };
  const step = (row: HTMLElement, by: number) => {
    const all = visible(), k = all.findIndex((other) => other.row === row);
    focus(all[Math.min(Math.max(k + by, 0), all.length - 1)].row);
  };
  const keys = (row: HTMLElement, parent: HTMLElement | null, item: Item): Record<string, () => void> => ({
    ArrowDown: () => step(row, 1), ArrowUp: () => step(row, -1), Home: () => step(row, -Infinity), End: () => step(row, Infinity),
    ArrowRight: () => (row.ariaExpanded === "false" ? unfold(row, true) : row.ariaExpanded && step(row, 1)),
    ArrowLeft: () => (row.ariaExpanded === "true" ? unfold(row, false) : parent && focus(parent)),
    Enter: () => pick(item), " ": () => pick(item),
  });
  const add = (items: Item[], into: HTMLElement, parent: HTMLElement | null, level: number) => {
    for (const item of items) {
      const body = item.choice.joint === null;
      const name = element("span", { className: body ? "body" : "joint", textContent: item.label });
      const row = element("div", { role: "treeitem", className: "line", tabIndex: rows.length ? -1 : 0 }, name);
      [row.ariaLevel, row.ariaSelected] = [String(level), "false"];
      if (item.detail) row.append(" ", element("small", { textContent: item.detail }));
      const entry = element("li", { role: "none" }, row);
      rows.push({ row, item, parent });
      if (item.children.length) {
        row.ariaExpanded = String(parts.length <= MANY || level <= OPEN);
        const group = element("ul", { role: "group", id: `tree-${rows.length}` });
        row.setAttribute("aria-owns", group.id);
        entry.append(group);
        add(item.children, group, row, level + 1);
      }
      row.onclick = (event) => {
        if (event.offsetX < 18 && row.ariaExpanded && event.target === row) unfold(row, row.ariaExpanded !== "true");
        else pick(item);
        focus(row);
      };
      row.onkeydown = (event) => {
        const act = keys(row, parent, item)[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      };
      into.append(entry);
    }
  };
  add(itemsOf(parts), list, null, 1);
  const choose = (frame: number | null) => {
    const found = rows.find(({ item }) => item.choice.card.frame === frame && !item.choice.joint);
    for (let up = found?.parent ?? null; up; up = rows.find(({ row }) => row === up)!.parent) unfold(up, true);
    found?.row.scrollIntoView({ block: "nearest" });
    pick(found?.item ?? null);
  };
  return { choose, chosen: () => now };
};
