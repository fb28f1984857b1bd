// The page of the studio: one socket brings scene, poses, plots and status, and takes what the hands do.
(() => {
  const $ = (id) => document.getElementById(id);
  const COLOURS = ["#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227", "#4aa3a2", "#b5657d"];
  const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
  const POSES = 1, PLOT = 2; // kinds of binary messages, as in stream.py
  const studio = { t: 0, poses: [], status: {}, drawn: 0, received: 0, frames: 0 }; // what a test may look at
  window.studio = studio;

  let socket, about, seen, dirty = true, held = null, choice = 0, scrubbing = false;
  const plots = new Map(), dials = new Map();
  const send = (message) => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };
  studio.send = send;
  const refresh = () => { dirty = true; };

  // -- what comes ------------------------------------------------------------------------------------------------

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/socket${location.search}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => (typeof data === "string" ? told(JSON.parse(data)) : streamed(data));
    socket.onclose = () => { say("not connected", true); setTimeout(connect, 1000); };
  };
  const told = ({ hello, scene, status }) => {
    if (hello) begin(hello, scene);
    if (status) show(status);
  };
  const streamed = (data) => {
    const head = new DataView(data), kind = head.getUint32(0, true), count = head.getUint32(4, true);
    if (kind === POSES && seen) {
      studio.t = head.getFloat64(8, true);
      studio.received++;
      const frames = new Uint32Array(data, 16, count), rows = new Float32Array(data, 16 + 4 * count);
      frames.forEach((frame, k) => {
        const row = rows.subarray(7 * k, 7 * k + 7);
        studio.poses[frame] = row;
        seen.put(frame, row.subarray(0, 3), row.subarray(3, 7));
      });
      refresh();
    }
    if (kind === PLOT && count === choice) {
      const [n, width] = [head.getUint32(8, true), head.getUint32(12, true)], rows = new Float64Array(data, 16);
      [...plots.values()].forEach((plot, k) => plot.add(Array.from({ length: n }, (_, i) => [0, 2 * k + 1, 2 * k + 2].map((j) => rows[i * width + j]))));
    }
  };

  const begin = (hello, scene) => {
    const again = about !== undefined;
    about = hello;
    document.title = `${hello.title} · symbody studio`;
    $("title").textContent = hello.title;
    $("note").textContent = scene.note;
    $("hint").textContent = hello.pulled.length && hello.touch ? "drag a body to pull it, beside it to turn the view" : "";
    if (!again) {
      seen = makeView(scene, $("view"), $("words"));
      if (!seen) return say("This browser cannot draw in space (WebGL 2 is missing).", true);
      seen.switches($("switches"), refresh);
      seen.handle(refresh, take);
      seen.fit();
      studio.seen = seen;
      hello.dials.forEach(addDial);
      for (const name of Object.keys(hello.units)) $("channels").append(new Option(name));
      for (const id of ["play", "step", "reset", "speed", "scrub"]) $(id).disabled = !hello.touch;
      $("dials").hidden = !hello.dials.length;
      if (!hello.dials.length) $("motion").style.gridTemplateColumns = "1fr minmax(240px, 340px)";
      if (hello.span) [$("scrub").min, $("scrub").max, $("scrub").hidden] = [...hello.span, false];
      Object.keys(hello.units).filter((name) => name.endsWith(".q")).slice(0, 2).forEach(addPlot);
    }
    for (const plot of plots.values()) plot.clear();
    choice = 0;
    watch();
  };

  const say = (text, warn) => { $("state").textContent = text; $("state").classList.toggle("warn", warn); };
  const show = (status) => {
    studio.status = status;
    const { state, reason, late, watchers, refused } = status;
    const words = [reason ? `${state}: ${reason}` : state, about.touch ? "" : "watching only", `${studio.frames} frames/s`];
    if (watchers > 1) words.push(`${watchers} watch`);
    if (late) words.push(`fell behind ${late}×`);
    if (refused) words.push(`${refused} refused`);
    say(words.filter(Boolean).join(" · "), state === "safe");
    $("icon").setAttribute("d", state === "running" ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
    $("speed").value = status.speed;
    for (const [name, value] of Object.entries(status.dials)) dials.get(name)?.(value);
  };

  // -- dials and plots -------------------------------------------------------------------------------------------

  const element = (kind, more = {}, ...children) => {
    const made = Object.assign(document.createElement(kind), more);
    made.append(...children);
    return made;
  };
  const addDial = ({ name, value, low, high, unit }) => {
    const id = `dial-${name}`;
    const input = element("input", { type: "range", id, min: low, max: high, step: "any", disabled: !about.touch });
    const output = element("output");
    const write = (x) => { output.textContent = `${short(x)} ${unit}`.trim(); };
    input.value = value;
    write(value);
    input.oninput = () => { write(Number(input.value)); send({ do: "set", name, value: Number(input.value) }); };
    dials.set(name, (x) => { if (document.activeElement !== input || !input.matches(":active")) { input.value = x; write(x); } });
    const row = element("div", { className: "dial" }, element("label", { htmlFor: id, title: name, textContent: name }), output, input);
    row.dataset.name = name;
    $("dial-list").append(row);
  };
  $("filter").oninput = () => {
    const wanted = $("filter").value.toLowerCase();
    for (const row of $("dial-list").children) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  };

  const watch = () => { choice++; send({ do: "watch", channels: [...plots.keys()] }); };
  const addPlot = (name) => {
    if (plots.has(name) || plots.size >= COLOURS.length || !(name in about.units)) return;
    const canvas = element("canvas"), output = element("output"), close = element("button", { textContent: "×", title: "Remove" });
    const box = element("div", { className: "plot" }, element("header", {}, element("b", { textContent: name, title: name }), output, close), canvas);
    close.onclick = () => { plots.delete(name); box.remove(); for (const p of plots.values()) p.clear(); watch(); };
    const used = new Set([...plots.values()].map((p) => p.colour)), colour = COLOURS.find((c) => !used.has(c));
    plots.set(name, { ...makePlot(canvas, colour, about.span), output, colour, unit: about.units[name] });
    $("plot-list").append(box);
  };
  $("channel").onchange = () => {
    addPlot($("channel").value);
    $("channel").value = "";
    for (const plot of plots.values()) plot.clear();
    watch();
  };

  // -- one picture -----------------------------------------------------------------------------------------------

  let counted = 0, since = performance.now(), plotted = 0, known = 0;
  const sharpen = (frames) => { // fewer pixels where the machine cannot draw 30 pictures a second
    const { shown } = seen;
    shown.sharpness = clamp(shown.sharpness * (frames < 30 ? 0.8 : frames > 50 ? 1.1 : 1), 0.5, 1);
  };
  const picture = (now) => {
    requestAnimationFrame(picture);
    if (held) pull();
    if (seen && dirty) {
      dirty = false;
      seen.draw();
      if (held) thread();
      counted++;
      studio.drawn++;
      $("clock").textContent = `${studio.t.toFixed(2)} s`;
      if (!scrubbing) $("scrub").value = studio.t;
    }
    if (now - plotted > 60) {
      plotted = now;
      for (const plot of plots.values()) {
        plot.draw(studio.t);
        plot.output.textContent = `${short(plot.value(studio.t))} ${plot.unit}`.trim();
      }
    }
    if (now - since > 1000) {
      const second = (now - since) / 1000, wanted = studio.received - known;
      [studio.frames, counted, since, known] = [Math.round(counted / second), 0, now, studio.received];
      if (studio.status.state) show(studio.status);
      if (seen && wanted > 30 * second) sharpen(studio.frames);
    }
  };

  // -- hands -----------------------------------------------------------------------------------------------------

  const take = (event) => { // a body under the pointer is held
    if (!about.touch || event.button !== 0 || event.ctrlKey || event.shiftKey) return false;
    const pulled = new Set(about.pulled), found = seen.pick(event, (frame) => pulled.has(frame));
    if (!found) return false;
    held = { ...found, event, id: event.pointerId };
    $("view").classList.add("holding");
    return true;
  };
  const pull = () => {
    held.to = seen.beside(held.event, held);
    send({ do: "pull", frame: held.frame, at: [...held.local], to: held.to });
  };
  const thread = () => { // from the place that is held to the pointer
    const [a, b] = [seen.onCanvas(seen.onFrame(held.frame, held.local)), seen.onCanvas(held.to)];
    if (!a || !b) return;
    const { pen } = seen;
    pen.strokeStyle = pen.fillStyle = "#c8553d";
    pen.lineWidth = 3;
    pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke();
    for (const p of [a, b]) { pen.beginPath(); pen.arc(...p, 5, 0, 7); pen.fill(); }
  };
  const release = (event) => {
    if (held?.id !== event.pointerId) return;
    held = null;
    $("view").classList.remove("holding");
    send({ do: "release" });
    refresh();
  };
  $("view").addEventListener("pointermove", (event) => { if (held?.id === event.pointerId) { held.event = event; refresh(); } });
  $("view").addEventListener("pointerup", release);
  $("view").addEventListener("pointercancel", release);

  for (const speed of SPEEDS) $("speed").add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
  $("speed").onchange = () => send({ do: "speed", factor: Number($("speed").value) });
  const toggle = () => send({ do: studio.status.state === "running" ? "pause" : "play" });
  $("play").onclick = toggle;
  $("step").onclick = () => send({ do: "step", n: 1 });
  $("reset").onclick = () => send({ do: "reset" });
  $("fit").onclick = () => { seen.fit(); refresh(); };
  $("scrub").oninput = () => { scrubbing = true; send({ do: "seek", t: Number($("scrub").value) }); };
  $("scrub").onchange = () => { scrubbing = false; };
  $("shot").onclick = () => {
    seen.shown.sharpness = 1;
    seen.draw(); // what WebGL drew is gone after this task
    const [view, words] = [$("view"), $("words")], sheet = element("canvas", { width: view.width, height: view.height });
    const pen = sheet.getContext("2d");
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.drawImage(view, 0, 0);
    pen.drawImage(words, 0, 0);
    sheet.toBlob((blob) => {
      const link = element("a", { href: URL.createObjectURL(blob), download: `${about.title}-${studio.t.toFixed(3)}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  };
  addEventListener("keydown", (event) => {
    const typing = event.target.tagName === "SELECT" || (event.target.tagName === "INPUT" && event.target.type !== "range");
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const act = { " ": toggle, ".": () => $("step").onclick(), r: () => $("reset").onclick() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  connect();
  requestAnimationFrame(picture);
})();
