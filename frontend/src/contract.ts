// What server and page say to each other; the other side is symbody/visual/page.py, studio/messages.py and visitor.py.

export type Triple = [number, number, number];

/** Vertices, triangles, number of the next coarser mesh (−1: none), deviation of its edges, least corner, extents. */
export type MeshRow = [number, number, number, number, Triple, Triple];
/** Mesh, frame, place (columns of 3 × 4), colour, role, opacity. */
export type PartRow = [number, number, number[], number, string, number];
/** Mesh, frames, ends on them (m), radius (m), colour, role, the axis of the first frame that stays across it. */
export type SpanRow = [number, number, number, Triple, Triple, number, number, string, number];
/** Text, frame, position on it (m). */
export type LabelRow = [string, number, Triple];
/** Balls that come as binary messages: frame, how many at most, radius (m), colour. */
export type CloudRow = [number, number, number, string];
/** A surface over a grid: frame, rows and columns of heights, spacing (m), corner of the first (m), colour. */
export type FieldRow = [number, number, number, [number, number], Triple, string];

export interface CameraData {
  azimuth: number; // degrees
  elevation: number;
  points: Triple[]; // to be seen (m)
  middle: Triple;
  size: number; // radius of what is seen (m)
  floor: number;
  step: number; // of the grid on the floor (m)
  follow: boolean;
  field: number; // degrees, from top to bottom
  grid: boolean;
  sky: boolean;
}

export interface RideData {
  name: string;
  frame: number;
  eye: Triple;
  ahead: Triple;
  field: number;
}

/** What changes when a number of the model does. */
export interface Shapes {
  meshes: MeshRow[];
  geometry: string; // zlib in base64: of each mesh its vertices, normals and triangles, see geometry.ts
  colours: string[];
  parts: PartRow[];
  spans: SpanRow[];
  labels: LabelRow[];
}

export interface SceneData extends Shapes {
  note: string;
  start: number; // s
  dt: number;
  frames: number;
  bodies: number;
  speed: number;
  poses: string; // float32 in base64: frames × bodies × (x y z, quaternion w x y z)
  clouds: CloudRow[];
  fields: FieldRow[];
  camera: CameraData;
  rides: RideData[];
  hidden: string[];
}

/** Rows of lists that are other ones now, by their numbers; `geometry` is of the meshes in `meshes` only. */
export interface SceneDifference {
  count: { [list in ShapeList]: number };
  meshes: [number, MeshRow][];
  geometry: string;
  colours: [number, string][];
  parts: [number, PartRow][];
  spans: [number, SpanRow][];
  labels: [number, LabelRow][];
}
export type ShapeList = "meshes" | "colours" | "parts" | "spans" | "labels";

export interface DialData {
  name: string;
  label: string;
  value: number;
  low: number;
  high: number;
  unit: string;
  more: boolean; // that few need
  choices: string[]; // names of the whole numbers from low on; none: any number
}

/** A scenario: values of dials, all others as at first, and who drives. */
export interface PresetData {
  name: string;
  values: Record<string, number>;
  line: string;
  pilot: string;
}

/** link, force: laws; contact; reaction: of joints and cuts; pull: of a hand. */
export type ArrowKind = "link" | "force" | "contact" | "reaction" | "pull";
/** What the numbers of an arrow are: see arrows.py. */
export type ArrowForm = "along" | "ground" | "line" | "own" | "place" | "held";
/** Name, kind, form, frame that the force acts on, place on it (m); of a link also the frame and place of its other end. */
export type ArrowRow = [string, ArrowKind, ArrowForm, number, Triple, number, Triple];

export interface JointCard {
  name: string;
  type: string; // R1 … T3, ball, free
  nature: string;
  channels: string[];
}
/** A body: its frame, that of the body which carries it, its joints, and the names of its dials. */
export interface BodyCard {
  name: string;
  frame: number;
  on: number;
  joints: JointCard[];
  dials: string[];
}

export interface AimData {
  value: number;
  seconds: number | null;
  whole: boolean;
}

export interface ControlData {
  name: string;
  label: string;
  low: number;
  high: number;
  rest: number;
  unit: string;
  seconds: number;
  keys: Record<string, AimData>;
  axis: number | null;
  buttons: Record<string, AimData>;
  grips: { frame: number; slope: Triple }[];
  shape: string;
}

export interface Hello {
  run: string; // which start of a studio this is: a page of an earlier one is out of date
  most_channels: number; // plotted at a time
  kind: "live" | "run";
  title: string;
  touch: boolean;
  units: Record<string, string>;
  dials: DialData[];
  span: [number, number] | null; // s, of a recorded run
  pulled: number[];
  sounds: SoundKind[];
  arrows: ArrowRow[];
  parts: BodyCard[];
  memory: number; // s that can be looked back
  labels: Record<string, string>; // what people read instead of names of channels
  start?: string; // one sentence, what to do
  presets?: PresetData[];
  controls?: ControlData[];
  pilots?: string[];
  plots?: (string | [string, string])[];
  help?: string[];
  seated?: boolean;
}
export type SoundKind = "struck" | "thud" | "tone" | "hiss";

export interface Status {
  state: string;
  reason: string;
  speed: number;
  late: number;
  dials: Record<string, number>;
  watchers: number;
  refused: number;
  pilot?: string;
  lines?: string[];
  begun?: number;
  waiting?: boolean; // for a touch
  since?: number | null; // s, the oldest instant that is remembered
  stop?: { why: string; where: string; cure: string; t: number; set: string[] } | null;
}

/** What is prepared before there is anything to show: which part of it, and how much is done (0 … 1). */
export interface Preparing {
  stage: string;
  share: number;
}

/** A first picture: the machine as it stands at its start, before it can move. */
export interface Preview {
  title: string;
  seated: boolean;
  scene: SceneData;
}

/** A text message of the server: any of these. */
export interface Told {
  preparing?: Preparing;
  preview?: Preview;
  failed?: string; // why there will be nothing to show
  hello?: Hello;
  scene?: SceneData;
  status?: Status;
  changed?: SceneDifference;
  refused?: { reason: string; detail: string };
  controls?: number[];
  sounds?: [number, number, number][]; // which, loudness, pitch (Hz)
}

/** A binary message begins with its kind and a number, each uint32. */
export const POSES = 1, PLOT = 2, CLOUD = 3, PATCH = 4, VALUES = 5;

export type Message =
  | { do: "play" | "pause" | "reset" | "release" }
  | { do: "step"; n: number }
  | { do: "speed"; factor: number }
  | { do: "seek"; t: number }
  | { do: "set"; name: string; value: number }
  | { do: "settings"; values: Record<string, number> }
  | { do: "lookback"; t: number | null }
  | { do: "pull"; frame: number; at: Triple; to: Triple }
  | { do: "move"; name: string; value: number; seconds: number }
  | { do: "letgo"; name: string }
  | { do: "pilot"; name: string }
  | { do: "watch"; channels: string[] }
  | { do: "arrows"; on: boolean }
  | { do: "inspect"; frame: number };
