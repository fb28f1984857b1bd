// Messages of the editor's server, as symbody/editor declares them.
import type { SceneData, Triple } from "../contract.ts";

export type Key = string | number;
export type Path = Key[];
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };
export type Data = { [key: string]: Value };

export interface JointMark { name: string; type: string; nature: string }
export interface DiagramNode { id: string; kind: string; name: string; path: string[]; points: string[]; detail: string }
export interface DiagramEdge {
  id: string; kind: string; name: string; path: string[]; a: string; b: string; at: [string, string];
  joints: JointMark[]; detail: string;
}
export interface Diagram { nodes: DiagramNode[]; edges: DiagramEdge[] }
export interface Drawing { at: Record<string, [number, number]>; notes: Record<string, string>; groups: Record<string, string[]> }
export interface Change { op: "set" | "remove"; path: Path; value?: Value }
export interface Remark {
  kind: "error" | "warning" | "note"; path: string[]; text: string; cure: string; line: number;
  fix: { label: string; changes: Change[] } | null;
}
export interface DocumentNews {
  name: string; title: string; kind: string; saved: boolean; saves: boolean; version: number; undo: string | null;
  redo: string | null; text: string; data: Data; drawing: Drawing; diagram: Diagram; remarks: Remark[]; outside: boolean;
  draftProblem: string; restored: boolean;
}
export interface Property { key: string; kind: string; unit: string; about: string; choices: string[] }
export interface Welcome {
  palette: { name: string; group: string; line: string }[]; properties: Record<string, Property[]>;
  words: Record<string, string[]>; live: boolean; done: boolean;
}
export interface Figures {
  version: number; freedoms: string; independent: string[]; dependent: string[]; redundant: number; loops: number;
    problem: string;
}
export interface ViewNews {
  version: number; scene: SceneData; frames: Record<string, number>; points: { path: string; frame: number; at: Triple }[];
}
export interface Film { pictures: number; seconds: number; poses: string }
export interface Table { head: string[]; rows: (string | number | null)[][] }
export interface JobResult {
  table?: Table; note?: string; start?: Record<string, number>; films?: Film[]; film?: Film; t?: number[];
  channels?: Record<string, (number | null)[]>; units?: Record<string, string>; last?: Record<string, number>;
  files?: Record<string, string>; download?: { name: string; base64: string };
}
export interface JobNews {
  kind: string; state: "running" | "done" | "failed" | "cancelled"; stage?: string; share?: number; problem?: string;
    result?: JobResult;
}
export interface Curve { argument: string; x: number[]; y: (number | null)[] }
export interface Tried { path: Path; problem: string; curve: Curve | null }
export interface News {
  welcome?: Welcome; document?: DocumentNews; figures?: Figures; view?: ViewNews;
  operations?: { version: number; rows: { function: string; operations: number; seconds: number }[] };
  job?: JobNews; pen?: { own: boolean; touch: boolean; others: number }; outside?: boolean; draftProblem?: string;
  tried?: Tried; script?: string; live?: string; refused?: { reason: string; detail: string };
}
export type Order =
  | { do: "undo" | "redo" | "loadoutside" | "keepown" | "canceljob" | "takepen" | "golive" | "finish" | "script" }
  | { do: "edit"; label: string; changes: Change[] }
  | { do: "rename"; path: Path; name: string }
  | { do: "remove" | "copy"; paths: Path[] }
  | { do: "addpart"; name: string; on: string; at: number[] }
  | { do: "draw"; kind: keyof Drawing; changes: Record<string, Value> }
  | { do: "splice"; version: number; at: number; removed: number; inserted: string }
  | { do: "save"; name: string; over: boolean }
  | { do: "runjob"; kind: string; until: number; dt: number; values: Record<string, number> }
  | { do: "tryvalue"; path: Path; value: Value };
export type Send = (order: Order) => void;

/** The value at a path of the data; undefined: there is none. */
export const valueAt = (data: Value | undefined, path: Path): Value | undefined => {
  for (const key of path) {
    if (data === null || typeof data !== "object") return undefined;
    data = (data as Record<Key, Value>)[key];
  }
  return data;
};
