// The page of the editor; in a worker, only the layout of its diagrams, which would make the page wait.
import "./own_script.ts";

if (typeof document === "undefined") void import("elkjs/lib/elk-worker.min.js"); // it answers messages
else void import("./page.ts");
