// A headset that is not there: one session with two eyes and one controller, frames by the screen's own clock.
(() => {
  const HEIGHT = 1.6, APART = 0.06;
  const at = (x, y, z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);
  const lens = (near, far) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
  const world = { sessions: [], asked: [], frames: 0, head: 0, hand: at(0, 1.2, -0.2), features: null };
  class Layer {
    constructor(session, gl) { [this.framebufferWidth, this.framebufferHeight, this.framebuffer] = [gl.canvas.width, gl.canvas.height, null]; }
    getViewport({ eye }) {
      const half = Math.floor(this.framebufferWidth / 2);
      return { x: eye === "left" ? 0 : half, y: 0, width: half, height: this.framebufferHeight };
    }
  }
  class Session extends EventTarget {
    renderState = {};
    enabledFeatures = [];
    visibilityState = "visible";
    inputSources = [];
    updateRenderState(more) { Object.assign(this.renderState, more); }
    async requestReferenceSpace(kind) { world.asked.push(kind); this.kind = kind; return { kind }; }
    requestAnimationFrame(act) {
      return requestAnimationFrame((now) => { if (!this.over) { world.frames++; act(now, this.frame()); } });
    }
    cancelAnimationFrame(id) { cancelAnimationFrame(id); }
    frame() {
      const tall = this.kind === "local-floor" ? HEIGHT : 0, { depthNear: near = 0.1, depthFar: far = 100 } = this.renderState;
      const views = ["left", "right"].map((eye, k) => ({
        eye, projectionMatrix: lens(near, far), transform: { matrix: at(world.head + (k - 0.5) * APART, tall, 0) },
      }));
      return { session: this, getViewerPose: () => ({ views }), getPose: () => ({ transform: { matrix: world.hand } }) };
    }
    connect() {
      const source = { targetRayMode: "tracked-pointer", targetRaySpace: {}, gripSpace: null, handedness: "right", hand: null };
      this.inputSources = [source];
      this.dispatchEvent(Object.assign(new Event("inputsourceschange"), { added: [source], removed: [] }));
    }
    select(kind) {
      this.dispatchEvent(Object.assign(new Event(kind), { inputSource: this.inputSources[0], frame: this.frame() }));
    }
    async end() {
      this.over = true;
      this.dispatchEvent(new Event("end"));
    }
  }
  const xr = Object.assign(new EventTarget(), {
    isSessionSupported: async (kind) => kind === "immersive-vr",
    requestSession: async (kind, { requiredFeatures = [] } = {}) => {
      if (world.refuses) throw new Error("no headset is connected");
      world.features = requiredFeatures;
      const made = new Session();
      world.sessions.push(made);
      return made;
    },
  });
  Object.defineProperty(navigator, "xr", { value: xr });
  WebGL2RenderingContext.prototype.makeXRCompatible = async () => undefined;
  window.XRWebGLLayer = Layer;
  delete window.XRWebGLBinding;
  window.headset = Object.assign(world, { place: at });
})();
