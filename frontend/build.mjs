// Bundles each page into one HTML file that needs nothing else: `node build.mjs FOLDER`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

for (const page of ["studio", "viewer"]) {
  const { outputFiles } = await build({
    entryPoints: [`src/${page}/main.ts`], outdir: ".", bundle: true, minify: true, write: false, format: "iife",
    target: ["es2022"], legalComments: "none", logLevel: "warning", charset: "utf8",
  });
  const bundled = (suffix) => outputFiles.find(({ path }) => path.endsWith(suffix)).text.trim();
  // what ends the element that holds it must not occur in a script
  const script = bundled(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"), style = bundled(".css");
  const parts = { script, style, "script-hash": hash(script) };
  const text = readFileSync(`pages/${page}.html`, "utf8").replaceAll(
    /\{\{(script|style|script-hash)\}\}/g, (_, name) => parts[name]);
  writeFileSync(join(folder, `${page}.html`), text);
  console.log(`${page}.html ${Math.round(text.length / 1000)} kB, ${Math.round(gzipSync(text).length / 1000)} kB compressed`);
}
