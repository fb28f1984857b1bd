// A headset: the same picture for two eyes, from the seat, or from a place before the model at its own scale; controllers
// are rays, which a page may let hold bodies.
import {
  BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, PerspectiveCamera, type Scene, type WebGLRenderer,
} from "three";
import type { CameraData, Triple } from "../contract.ts";
import type { Eye, Sight } from "./eye.ts";
import type { Ray } from "./pointer.ts";
import { column, columns, mean, minus, norm, plus, product, times, turned, type Matrix, type Vector } from "./space.ts";

const TABLE = 1.1; // m above the feet: where the middle of what is smaller than a person is
const SMALL = 1; // m: what is smaller is put there
const APART = 1.6, NEAREST = 0.6; // of the size, and m: how far away one stands
const WIDE = 1.6; // tangent of half of what is drawn about the direction of the head
const NEAR = 0.02; // m
const RAY = 20; // m
const HANDS = [-10, -11]; // numbers of the controllers, beside those of pointers

/** A hand that may hold something: where it is, and how far it has gone since it took it (m). */
export interface Hand {
  id: number;
  reach(at: { hit: Vector }): Triple;
  shift(at: { hit: Vector }): Triple;
}
/** What a page does meanwhile. */
export interface Company {
  beat(now: number): void;
  take(hand: Hand, ray: Ray): void;
  drop(id: number): void;
  ended(): void;
}
export interface Immersion {
  /** Whether there is a headset. */
  offered(): Promise<boolean>;
  /** Start the headset; if that fails, the error gives the reason. */
  enter(company: Company): Promise<void>;
  leave(): void;
  active(): boolean;
}

/** Where one stands before a model: axes and place of the floor under one's feet, y upwards, looking along −z. */
export const standpoint = ({ azimuth, points, size, floor }: CameraData): Matrix => {
  const a = (azimuth * Math.PI) / 180, away: Triple = [Math.cos(a), Math.sin(a), 0], middle = mean(points);
  const feet = size < SMALL ? middle[2] - TABLE : floor, at = plus(middle, away, Math.max(APART * size, NEAREST));
  return columns([-Math.sin(a), Math.cos(a), 0], [0, 0, 1], away, [at[0], at[1], feet]);
};
/** What is seen from a head (a matrix in space); wide enough for both eyes. */
export const sightFrom = (m: Matrix, far: number): Sight => {
  const [right, up, away, from] = [0, 1, 2, 3].map((k) => [...column(m, k)] as Triple);
  const none = new Float32Array(16); // three knows the matrices of each eye
  const target = plus(from, away, -1);
  return { right, up, away, from, target, slope: WIDE, near: NEAR, far, turn: none, lens: none, matrix: none };
};

const rayOf = (m: Matrix): Ray => ({ from: [...column(m, 3)] as Triple, way: times(-1, column(m, 2)) });

export const makeImmersion = (
  renderer: WebGLRenderer, scene: Scene, eye: Eye, camera: CameraData, now: () => Sight,
  draw: (sight: Sight, head: PerspectiveCamera) => void,
): Immersion => {
  const { xr } = renderer, rig = new Group(), head = new PerspectiveCamera();
  rig.add(head);
  let seated = false, company: Company | null = null, place = standpoint(camera); // of who wears it, in space
  const own = (m: { elements: number[] }): Matrix => Float32Array.from(m.elements);

  const rays = HANDS.map((id, k) => {
    const space = xr.getController(k), geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([0, 0, 0, 0, 0, -RAY]), 3));
    const line = new Line(geometry, new LineBasicMaterial({ color: 0xd07a10, transparent: true, opacity: 0.7 }));
    Object.assign(line, { matrixAutoUpdate: false, frustumCulled: false, visible: false });
    scene.add(line);
    const ray = () => rayOf(product(place, own(space.matrix)));
    const along = ({ from, way }: Ray, far: number) => plus(from, way, far);
    space.addEventListener("selectstart", () => {
      const first = rayOf(own(space.matrix)); // as the one who holds it sees it, who may ride along
      let far: number | null = null; // of the place that it took
      const reach: Hand["reach"] = ({ hit }) => along(ray(), far ??= norm(minus(hit, ray().from)));
      const shift: Hand["shift"] = ({ hit }) => {
        far ??= norm(minus(hit, ray().from));
        return turned(place, minus(along(rayOf(own(space.matrix)), far), along(first, far)));
      };
      company?.take({ id, reach, shift }, ray());
    });
    space.addEventListener("selectend", () => company?.drop(id));
    return { space, line };
  });

  const picture = (time: number) => {
    const sight = now();
    place = seated ? columns(sight.right, sight.up, sight.away, sight.from) : standpoint(camera);
    rig.matrixWorld.fromArray(place);
    [head.near, head.far] = [NEAR, sight.far];
    for (const { space, line } of rays) {
      line.visible = space.visible;
      line.matrix.fromArray(product(place, own(space.matrix)));
    }
    company?.beat(time);
    draw(sightFrom(product(place, own(xr.getCamera().matrix)), sight.far), head);
  };
  const offered = async () => {
    try {
      return (await navigator.xr?.isSessionSupported("immersive-vr")) ?? false;
    } catch {
      return false;
    }
  };
  const enter: Immersion["enter"] = async (given) => {
    seated = eye.seat() !== null;
    if (seated) eye.fit(); // straight ahead
    const session = await navigator.xr!.requestSession("immersive-vr", { requiredFeatures: seated ? [] : ["local-floor"] });
    company = given;
    session.addEventListener("end", () => {
      for (const { line } of rays) line.visible = false;
      HANDS.forEach(given.drop);
      [xr.enabled, company] = [false, null];
      given.ended();
    });
    xr.enabled = true;
    xr.setReferenceSpaceType(seated ? "local" : "local-floor");
    xr.setAnimationLoop(picture);
    await xr.setSession(session);
  };
  return { offered, enter, leave: () => void xr.getSession()?.end(), active: () => company !== null };
};
