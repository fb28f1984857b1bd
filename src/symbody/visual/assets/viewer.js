"use strict";
// A recorded motion with its controls: reads the JSON beside it, draws it with view.js.
(() => {
  const data = JSON.parse(document.getElementById("motion").textContent);
  const $ = (id) => document.getElementById(id);
  const seen = makeView(data, $("view"), $("words"));
  if (!seen) {
    $("note").textContent = "This browser cannot draw in space (WebGL 2 is missing).";
    return;
  }

  // -- the motion ------------------------------------------------------------------------------------------------

  const poses = decoded(data.poses, Float32Array); // frames × bodies × (x y z, quaternion w x y z)
  const { frames, bodies, dt, start } = data;
  const duration = (frames - 1) * dt;

  const pose = (now) => { // all frames at a time, between the two nearest records
    const at = dt > 0 ? clamp(now / dt, 0, frames - 1) : 0;
    const i = Math.min(Math.floor(at), Math.max(frames - 2, 0)), s = frames > 1 ? at - i : 0;
    for (let b = 0; b < bodies; b++) {
      const k = 7 * (i * bodies + b), l = frames > 1 ? k + 7 * bodies : k, p = poses;
      const same = p[k + 3] * p[l + 3] + p[k + 4] * p[l + 4] + p[k + 5] * p[l + 5] + p[k + 6] * p[l + 6] < 0 ? -s : s;
      const between = (n, t) => (1 - s) * p[k + n] + t * p[l + n];
      seen.put(b, [0, 1, 2].map((n) => between(n, s)), [3, 4, 5, 6].map((n) => between(n, same)));
    }
  };

  // -- time ------------------------------------------------------------------------------------------------------

  let time = 0, speed = data.speed, playing = false, last = 0, waiting = false;
  const digits = duration < 2 ? 3 : 2;

  const refresh = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame((now) => {
      waiting = false;
      if (playing) {
        time += (clamp(now - last, 0, 100) / 1000) * speed; // a page that was hidden does not jump
        if (time > duration) time = duration > 0 ? time % duration : 0;
        last = now;
      }
      pose(time);
      seen.draw();
      $("scrub").value = duration > 0 ? time / duration : 0;
      $("clock").textContent = `${(start + time).toFixed(digits)} s`;
      if (playing) refresh();
    });
  };
  const play = (on) => {
    playing = on && frames > 1;
    last = performance.now();
    $("icon").setAttribute("d", playing ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M8 5v14l11-7z");
    refresh();
  };
  const go = (to) => {
    time = clamp(to, 0, duration);
    refresh();
  };

  // -- controls --------------------------------------------------------------------------------------------------

  const SPEEDS = [...new Set([0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, data.speed])].sort((a, b) => a - b);
  for (const s of SPEEDS) $("speed").add(new Option(`${s}×`, s, s === speed, s === speed));
  $("speed").onchange = (event) => { speed = Number(event.target.value); refresh(); };
  const hurry = (by) => {
    const k = clamp(SPEEDS.indexOf(speed) + by, 0, SPEEDS.length - 1);
    speed = SPEEDS[k];
    $("speed").selectedIndex = k;
  };

  const switches = seen.switches($("switches"), refresh);
  $("play").onclick = () => play(!playing);
  $("scrub").oninput = (event) => { play(false); go(event.target.value * duration); };
  $("fit").onclick = () => { seen.fit(); refresh(); };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const step = dt * (event.shiftKey ? 10 : 1);
    const keys = {
      " ": () => play(!playing), ArrowRight: () => { play(false); go(time + step); },
      ArrowLeft: () => { play(false); go(time - step); }, ArrowUp: () => hurry(1), ArrowDown: () => hurry(-1),
      Home: () => go(0), End: () => { play(false); go(duration); },
      l: () => switches.labels.click(), a: () => switches.axes?.click(), m: () => switches.mass?.click(),
      i: () => switches.inertia?.click(), f: () => switches.follow?.click(),
    };
    const act = keys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });

  $("note").textContent = data.note;
  seen.handle(refresh);
  seen.fit();
  const asked = new URLSearchParams(location.hash.slice(1)); // #t=1.5 opens there and waits
  if (asked.has("labels")) switches.labels.click();
  if (asked.has("t")) { play(false); go(Number(asked.get("t")) - start || 0); }
  else play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
})();
