// The page of the studio: one socket brings scene, poses, plots and status, and takes what the hands do.
(() => {
  const $ = (id) => document.getElementById(id);
  const COLOURS = ["#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227", "#4aa3a2", "#b5657d"];
  const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
  const POSES = 1, PLOT = 2; // kinds of binary messages, as in stream.py
  const studio = { t: 0, poses: [], status: {}, drawn: 0, received: 0, frames: 0, heard: 0, renewed: 0 }; // what a test may look at
  window.studio = studio;

  let socket, about, seen, controls, sounds, dirty = true, held = null, choice = 0, scrubbing = false;
  const plots = new Map(), dials = new Map();
  studio.plots = plots;
  const send = (message) => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };
  studio.send = send;
  const refresh = () => { dirty = true; };

  // -- what comes ------------------------------------------------------------------------------------------------

  // The token comes in the fragment, or is typed; it stays in this tab, and leaves the address bar at once.
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) { sessionStorage.setItem("token", given); history.replaceState(null, "", location.pathname); }
  const offers = () => {
    const bytes = [...new TextEncoder().encode(sessionStorage.getItem("token") ?? "")];
    return ["symbody", `token.${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`];
  };
  $("enter").onclick = () => {
    const token = prompt("The token of this studio, to touch what runs:");
    if (token) { sessionStorage.setItem("token", token.trim()); location.reload(); }
  };

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/socket`, offers());
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => (typeof data === "string" ? told(JSON.parse(data)) : streamed(data));
    socket.onclose = () => { say("not connected", true); setTimeout(connect, 1000); };
  };
  const told = ({ hello, scene, status, renew, refused, controls: moved, sounds: heard }) => {
    if (refused) $("refused").textContent = [refused.reason, refused.detail].filter(Boolean).join(": ");
    if (hello) begin(hello, scene);
    if (status) show(status);
    if (renew) { seen.renew(renew); studio.renewed++; refresh(); }
    if (moved) { studio.controls = moved; controls?.moved(moved); }
    if (heard) {
      studio.heard += heard.filter(([k, loud]) => about.sounds[k] === "struck" && loud > 0).length;
      sounds?.hear(heard);
    }
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
      const watched = channels();
      for (const plot of plots.values()) {
        const columns = [0, ...plot.channels.flatMap((name) => [0, 1].map((end) => 2 * watched.indexOf(name) + 1 + end))];
        plot.add(Array.from({ length: n }, (_, i) => columns.map((j) => rows[i * width + j])));
      }
    }
  };

  const begin = (hello, scene) => {
    const again = about !== undefined;
    if (again && (hello.run !== about.run || hello.touch !== about.touch)) return location.reload(); // another machine
    about = hello;
    $("enter").hidden = hello.touch;
    document.title = `${hello.title} · symbody studio`;
    $("title").textContent = hello.title;
    $("note").textContent = scene.note;
    const help = hello.help?.length ? hello.help.join("\n") : hello.pulled.length ? "drag a body to pull it, beside it to turn the view" : "";
    $("hint").textContent = hello.touch ? help : "";
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
      const first = hello.plots?.length ? hello.plots : Object.keys(hello.units).filter((name) => name.endsWith(".q")).slice(0, 2);
      first.forEach(addPlot);
      if (hello.seated) seen.ride(0);
      equip(hello);
    }
    for (const plot of plots.values()) plot.clear();
    choice = 0;
    watch();
  };

  const equip = ({ controls: list = [], pilots = [], sounds: kinds = [], touch }) => { // what only machines have
    if (list.length && touch) controls = makeControls(list, $("controls"), send);
    if (pilots.length) {
      $("pilot").add(new Option("You", ""));
      for (const name of pilots) $("pilot").add(new Option(name, name));
      [$("pilot").hidden, $("pilot").disabled] = [false, !touch];
    }
    if (kinds.length) {
      sounds = makeSounds(kinds);
      $("sound").hidden = false;
      for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, sounds.wake);
    }
  };

  const say = (text, warn) => { $("state").textContent = text; $("state").classList.toggle("warn", warn); };
  const show = (status) => {
    if (status.begun !== studio.status.begun) for (const plot of plots.values()) if (plot.channels.length > 1) plot.clear();
    studio.status = status;
    const { state, reason, late, watchers, refused } = status;
    const words = [reason ? `${state}: ${reason}` : state, about.touch ? "" : "watching only", `${studio.frames} frames/s`];
    if (watchers > 1) words.push(`${watchers} watch`);
    if (late) words.push(`fell behind ${late}×`);
    if (refused) words.push(`${refused} refused`);
    say(words.filter(Boolean).join(" · "), state === "safe");
    $("icon").setAttribute("d", state === "running" ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
    $("speed").value = status.speed;
    $("pilot").value = status.pilot ?? "";
    $("lines").textContent = (status.lines ?? []).join("\n");
    for (const [name, value] of Object.entries(status.dials)) dials.get(name)?.(value);
  };

  // -- dials and plots -------------------------------------------------------------------------------------------

  const element = (kind, more = {}, ...children) => {
    const made = Object.assign(document.createElement(kind), more);
    made.append(...children);
    return made;
  };
  const SMALLER = { m: ["mm", 1e3], kg: ["g", 1e3], s: ["ms", 1e3] }; // units that small numbers are read in
  const addDial = ({ name, label, value, low, high, unit: plain }) => {
    const id = `dial-${name}`, [unit, per] = (Math.max(Math.abs(low), Math.abs(high)) < 0.1 && SMALLER[plain]) || [plain, 1];
    const input = element("input", { type: "range", id, min: low, max: high, step: "any", disabled: !about.touch });
    const output = element("output");
    const write = (x) => { output.textContent = `${short(per * x)} ${unit}`.trim(); };
    input.value = value;
    write(value);
    input.oninput = () => { write(Number(input.value)); send({ do: "set", name, value: Number(input.value) }); };
    dials.set(name, (x) => { if (document.activeElement !== input || !input.matches(":active")) { input.value = x; write(x); } });
    const row = element("div", { className: "dial" }, element("label", { htmlFor: id, title: name, textContent: label || name }), output, input);
    row.dataset.name = `${label} ${name}`;
    $("dial-list").append(row);
  };
  $("filter").oninput = () => {
    const wanted = $("filter").value.toLowerCase();
    for (const row of $("dial-list").children) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  };

  const channels = () => [...new Set([...plots.values()].flatMap((plot) => plot.channels))];
  const watch = () => { choice++; send({ do: "watch", channels: channels() }); };
  const addPlot = (wanted) => { // a channel, or two: the second over the first
    const own = [wanted].flat(), name = [...own].reverse().join(" over "), all = new Set([...channels(), ...own]);
    if (plots.has(name) || all.size > COLOURS.length || !own.every((channel) => channel in about.units)) return;
    const canvas = element("canvas"), output = element("output"), close = element("button", { textContent: "×", title: "Remove" });
    const box = element("div", { className: "plot" }, element("header", {}, element("b", { textContent: name, title: name }), output, close), canvas);
    close.onclick = () => { plots.delete(name); box.remove(); for (const p of plots.values()) p.clear(); watch(); };
    const used = new Set([...plots.values()].map((p) => p.colour)), colour = COLOURS.find((c) => !used.has(c));
    const make = own.length > 1 ? makeTrace : makePlot;
    plots.set(name, { ...make(canvas, colour, about.span), output, colour, channels: own, unit: about.units[own[own.length - 1]] });
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
  const picture = (now) => {
    requestAnimationFrame(picture);
    if (held) held.control ? haul() : pull();
    controls?.tell(now);
    if (seen && dirty && seen.due(now)) {
      dirty = false;
      seen.draw();
      if (held && !held.control) thread();
      counted++;
      studio.drawn++;
    }
    if (now - plotted > 60 / (seen?.shown.sharpness ?? 1) ** 2) { // words and plots cost as much as pictures, without a card
      plotted = now;
      $("clock").textContent = `${studio.t.toFixed(2)} s`;
      if (!scrubbing) $("scrub").value = studio.t;
      for (const plot of plots.values()) {
        plot.draw(studio.t);
        plot.output.textContent = `${short(plot.value(studio.t))} ${plot.unit}`.trim();
      }
    }
    if (now - since > 1000) {
      const second = (now - since) / 1000, wanted = studio.received - known;
      [studio.frames, counted, since, known] = [Math.round(counted / second), 0, now, studio.received];
      if (studio.status.state) show(studio.status);
      if (seen && wanted > 30 * second) seen.pace(studio.frames);
    }
  };

  // -- hands -----------------------------------------------------------------------------------------------------

  const take = (event) => { // a body under the pointer is held
    if (!about.touch || event.button !== 0 || event.ctrlKey || event.shiftKey) return false;
    const pulled = new Set(about.pulled), found = seen.pick(event, (frame) => pulled.has(frame) || controls?.grip(frame));
    if (!found) return false;
    held = { ...found, ...controls?.grip(found.frame), event, first: event, id: event.pointerId };
    if (held.control) controls.take(held.control, event.pointerId);
    $("view").classList.add("holding");
    return true;
  };
  const haul = () => { // a control by the body that it moves, as far as the pointer went, however eye and body move
    const at = { hit: seen.onFrame(held.frame, held.local) }, { slope } = held;
    const [from, to] = [held.first, held.event].map((event) => seen.beside(event, at));
    controls.drag(held.control, slope.reduce((sum, s, k) => sum + s * (to[k] - from[k]), 0));
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
    held.control ? controls.drop(held.control) : send({ do: "release" });
    held = null;
    $("view").classList.remove("holding");
    refresh();
  };
  $("view").addEventListener("pointermove", (event) => { if (held?.id === event.pointerId) { held.event = event; refresh(); } });
  $("view").addEventListener("pointerup", release);
  $("view").addEventListener("pointercancel", release);

  for (const speed of SPEEDS) $("speed").add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
  $("speed").onchange = () => send({ do: "speed", factor: Number($("speed").value) });
  const toggle = () => send({ do: studio.status.state === "running" ? "pause" : "play" });
  $("play").onclick = toggle;
  $("pilot").onchange = () => { send({ do: "pilot", name: $("pilot").value }); $("pilot").blur(); };
  $("sound").onclick = () => { sounds.mute(!sounds.quiet); $("sound").setAttribute("aria-pressed", !sounds.quiet); };
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
    if (controls?.press(event)) return event.preventDefault();
    const act = { " ": toggle, ".": () => $("step").onclick(), r: () => $("reset").onclick() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  connect();
  requestAnimationFrame(picture);
})();
