// The renderer of a canvas: opened before there is anything to draw, since that takes as long as drawing it.
import { BasicShadowMap, NeutralToneMapping, PCFShadowMap, WebGLRenderer } from "three";

/** What is drawn besides solid bodies, each by shaders of its own, in the order in which pictures get it. */
export const EXTRAS = ["floor", "scenery", "sky", "shadow", "glass"] as const;
export type Extra = (typeof EXTRAS)[number];

export interface Opened {
  renderer: WebGLRenderer;
  byProcessor: boolean; // there is no graphics card
  ready: Set<Extra>; // whose shaders are translated: without a card that takes 0.1 s each, and a picture waits for it
}

/** Whether there is no graphics card: smooth edges would take three times as long. */
const drawnByProcessor = (): boolean => {
  const gl = document.createElement("canvas").getContext("webgl2"), told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(gl!.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
};

const makeRenderer = (canvas: HTMLCanvasElement, byProcessor: boolean): WebGLRenderer | null => {
  const context = canvas.getContext("webgl2", {
    alpha: true, antialias: !byProcessor, depth: true, stencil: true, premultipliedAlpha: true,
    powerPreference: "high-performance", preserveDrawingBuffer: byProcessor, // one of two views may stay as it was
  });
  if (!context) return null;
  const made = new WebGLRenderer({ canvas, context, alpha: true, stencil: true });
  made.setClearColor(0, 0);
  made.toneMapping = NeutralToneMapping;
  made.shadowMap.enabled = true;
  made.shadowMap.type = byProcessor ? BasicShadowMap : PCFShadowMap;
  made.debug.checkShaderErrors = false; // asking for them makes every program wait for its compiler
  return made;
};

/** What draws on a canvas; null where the browser cannot. */
export const openRenderer = (canvas: HTMLCanvasElement): Opened | null => {
  const byProcessor = drawnByProcessor(), renderer = makeRenderer(canvas, byProcessor);
  return renderer && { renderer, byProcessor, ready: new Set(byProcessor ? [] : EXTRAS) };
};
