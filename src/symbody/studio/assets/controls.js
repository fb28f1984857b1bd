// Controls of a machine: pointer, keys and game controller say where to, the server follows; what is held is told again
// and again, so that a hand that is gone has let go.
const AGAIN = 250; // ms
const DEAD = 0.08; // of an axis, about its middle

const makeControls = (list, parent, send) => {
  const mid = (c, share) => c.rest + share * (share < 0 ? c.rest - c.low : c.high - c.rest); // −1 … 1
  const controls = list.map((c) => ({ ...c, now: c.rest, keysDown: [], keysUp: new Set(), pressed: {}, finger: null, last: null, told: 0, pad: null }));
  const byName = new Map(controls.map((c) => [c.name, c]));
  const within = (c, x) => clamp(x, c.low, c.high);

  // -- what is asked for -----------------------------------------------------------------------------------------

  const wanted = (c) => { // fingers before keys before a game controller
    if (c.finger) return { value: c.finger.value, seconds: c.seconds };
    const key = c.keysDown[c.keysDown.length - 1];
    if (key !== undefined) return { value: c.keys[key].value, seconds: c.keys[key].seconds ?? c.seconds };
    return c.pad;
  };
  const pads = () => {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p?.connected);
    for (const c of controls) {
      c.pad = null;
      if (!pad) continue;
      const tilt = c.axis === null ? 0 : pad.axes[c.axis] ?? 0;
      if (Math.abs(tilt) > DEAD) c.pad = { value: mid(c, -tilt), seconds: c.seconds }; // left and up are positive here
      for (const [k, aim] of Object.entries(c.buttons)) {
        const pressed = pad.buttons[k]?.value ?? 0;
        if (pressed > DEAD) c.pad = { value: c.rest + pressed * (aim.value - c.rest), seconds: aim.seconds ?? c.seconds };
      }
    }
  };
  const tell = (now) => { // once a picture
    pads();
    for (const c of controls) {
      const want = wanted(c);
      if (want && (c.last !== want.value || now - c.told > AGAIN)) {
        send({ do: "move", name: c.name, value: within(c, want.value), seconds: want.seconds });
        [c.last, c.told] = [want.value, now];
      } else if (!want && c.last !== null) {
        send({ do: "letgo", name: c.name });
        c.last = null;
      }
      for (const key of c.keysUp) { // only now: a quick tap is told, too
        const { seconds, whole } = c.keys[key];
        if (whole && now - c.pressed[key] < 1000 * (seconds ?? c.seconds)) continue;
        c.keysUp.delete(key);
        c.keysDown = c.keysDown.filter((k) => k !== key);
      }
    }
  };
  const letGo = () => { for (const c of controls) [c.keysDown, c.finger] = [[], null]; };

  // -- keys ------------------------------------------------------------------------------------------------------

  const known = (key) => { // of letters the small ones
    const low = key.length === 1 ? key.toLowerCase() : key;
    return controls.filter((c) => low in c.keys).map((c) => [c, low]);
  };
  const press = (event) => {
    const found = known(event.key);
    for (const [c, key] of found) {
      c.keysUp.delete(key);
      if (c.keysDown.includes(key)) continue;
      c.keysDown.push(key);
      c.pressed[key] = performance.now();
    }
    return found.length > 0;
  };
  addEventListener("keyup", (event) => { for (const [c, key] of known(event.key)) c.keysUp.add(key); });
  addEventListener("blur", letGo);
  document.addEventListener("visibilitychange", () => { if (document.hidden) { letGo(); tell(performance.now()); } });

  // -- fingers ---------------------------------------------------------------------------------------------------

  const grip = (frame) => { // a control that is taken by this body
    for (const c of controls) for (const g of c.grips) if (g.frame === frame) return { control: c, slope: g.slope };
    return null;
  };
  const take = (control, id) => { control.finger = { id, from: control.now, value: control.now }; };
  const drag = (control, by) => { if (control.finger) control.finger.value = within(control, control.finger.from + by); };
  const drop = (control) => { control.finger = null; };

  const svg = (kind, more = {}, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const faces = {
    wheel: (c) => {
      const turning = svg("g", {},
        svg("circle", { r: 42, class: "rim" }),
        ...[90, 210, 330].map((a) => svg("line", { x1: 0, y1: 0, x2: 42 * Math.cos((a * Math.PI) / 180), y2: 42 * Math.sin((a * Math.PI) / 180), class: "spoke" })),
        svg("circle", { r: 9, class: "hub" }), svg("circle", { cy: -42, r: 4, class: "mark" }));
      const face = svg("svg", { viewBox: "-52 -52 104 104" }, turning);
      const angle = (event) => {
        const box = face.getBoundingClientRect();
        return Math.atan2(-(event.clientY - box.top - box.height / 2), event.clientX - box.left - box.width / 2);
      };
      let last = 0, sum = 0;
      return {
        face, draw: (x) => turning.setAttribute("transform", `rotate(${(-x * 180) / Math.PI})`),
        down: (event) => { [last, sum] = [angle(event), 0]; },
        move: (event) => { // the whole way round, not only within a turn
          const turn = angle(event) - last;
          sum += turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
          last += turn;
          return sum;
        },
      };
    },
    pedal: (c) => bar(c, -1),
    slide: (c) => bar(c, 1),
  };
  const bar = (c, upwards) => { // a slide is pressed down, a pedal is drawn up
    const [w, h] = [34, 96], knob = svg("rect", { x: 3, width: w - 6, height: 14, rx: 4, class: "knob" });
    const face = svg("svg", { viewBox: `0 0 ${w} ${h}` }, svg("rect", { x: w / 2 - 4, width: 8, height: h, rx: 4, class: "rail" }), knob);
    let from = 0;
    return {
      face, draw: (x) => {
        const share = (x - c.low) / (c.high - c.low);
        knob.setAttribute("y", (h - 14) * (upwards > 0 ? share : 1 - share));
      },
      down: (event) => { from = event.clientY; },
      move: (event) => ((event.clientY - from) * upwards * (c.high - c.low)) / face.getBoundingClientRect().height,
    };
  };
  for (const c of controls) {
    const { face, draw, down, move } = (faces[c.shape] ?? faces.slide)(c);
    const box = document.createElement("div"), name = document.createElement("b"), keys = document.createElement("kbd");
    box.className = `control ${c.shape}`;
    box.dataset.name = c.name;
    name.textContent = c.label;
    keys.textContent = Object.keys(c.keys).map((k) => ({ ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" })[k] ?? k).join(" ");
    box.append(face, name, keys);
    parent.append(box);
    c.draw = draw;
    draw(c.now);
    box.onpointerdown = (event) => { box.setPointerCapture(event.pointerId); take(c, event.pointerId); down(event); event.preventDefault(); };
    box.onpointermove = (event) => { if (c.finger?.id === event.pointerId) drag(c, move(event)); };
    box.onpointerup = box.onpointercancel = (event) => { if (c.finger?.id === event.pointerId) drop(c); };
  }
  const moved = (values) => values.forEach((x, k) => { controls[k].now = x; controls[k].draw(x); });

  return { tell, press, grip, take, drag, drop, letGo, moved, byName };
};
