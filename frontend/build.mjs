// Bundles each page into one HTML file that needs nothing else: `node build.mjs FOLDER`. The licences of the bundled
// packages stand in each page and in third-party.txt, since pages are copied and sent.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

for (const file of readdirSync(folder)) if (file.endsWith(".br")) rmSync(join(folder, file));

/** A script compressed for the server, under the name that it has there (web/page.py). */
const pack = (script) => {
  const name = createHash("sha256").update(script).digest("hex").slice(0, 20), bytes = Buffer.from(script);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const packed = brotliCompressSync(bytes, { params });
  writeFileSync(join(folder, `${name}.js.br`), packed);
  return packed.length;
};

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const PACKAGE = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Name, version and licence text of a package. */
const notice = (name) => {
  const at = join("node_modules", name), { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
  const file = readdirSync(at).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence file: its text must go with the pages`);
  return `${name} ${version}\n\n${readFileSync(join(at, file), "utf8").trim()}\n`;
};

const bundledPackages = new Set();

const HOW = {
  outdir: ".", bundle: true, minify: true, write: false, format: "iife", target: ["es2022"], legalComments: "none",
  logLevel: "warning", charset: "utf8",
};
/** The texts of animations alone: each is a file of its own, and the texts of all machines would be a tenth of it. */
const fewerTexts = {
  name: "fewer texts",
  setup: ({ onLoad }) => onLoad({ filter: /catalogue\.json$/ }, ({ path }) => {
    const { page, machines } = JSON.parse(readFileSync(path, "utf8"));
    const sources = ["viewer", "view"].flatMap((at) => readdirSync(`src/${at}`).map((file) => `src/${at}/${file}`));
    const said = ["pages/viewer.html", ...sources].map((file) => readFileSync(file, "utf8")).join("\n");
    const some = (texts, kept) => Object.fromEntries(Object.entries(texts).filter(([text]) => kept(text)));
    const counts = some(machines, (text) => text.startsWith("{n} ")), own = some(page, (text) => said.includes(text));
    return { contents: JSON.stringify({ page: own, machines: counts }), loader: "json" };
  }),
};
const { outputFiles: [worklet] } = await build({ ...HOW, entryPoints: ["src/sound/worklet.ts"] }); // of the thread of the audio

for (const page of ["studio", "viewer", "gallery", "editor"]) {
  const { outputFiles, metafile } = await build({
    ...HOW, entryPoints: [`src/${page}/main.ts`], metafile: true, plugins: page === "viewer" ? [fewerTexts] : [],
    define: { WORKLET: JSON.stringify(worklet.text.trim()) },
  });
  const bundled = (suffix) => outputFiles.find(({ path }) => path.endsWith(suffix)).text.trim();
  // what ends the element that holds it must not occur in a script
  const script = bundled(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"), style = bundled(".css");
  const packages = [...new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))].sort();
  packages.forEach((name) => bundledPackages.add(name));
  const notices = `<!--\nThis page contains:\n\n${packages.map(notice).join("\n").replaceAll("--", "- -")}-->\n`;
  const parts = { script, style, "script-hash": hash(script) };
  const text = readFileSync(`pages/${page}.html`, "utf8").replaceAll(
    /\{\{(script|style|script-hash)\}\}/g, (_, name) => parts[name]) + notices;
  writeFileSync(join(folder, `${page}.html`), text);
  const sizes = [text.length, gzipSync(text).length, page === "viewer" ? 0 : pack(script)].map((n) => Math.round(n / 1000));
  console.log(`${page}.html ${sizes[0]} kB, ${sizes[1]} kB by gzip${sizes[2] ? `, its script ${sizes[2]} kB by Brotli` : ""}`);
}

const title = "The pages of symbody contain these packages under the following licences.\n";
writeFileSync(join(folder, "third-party.txt"), [title, ...[...bundledPackages].sort().map(notice)].join("\n"));
