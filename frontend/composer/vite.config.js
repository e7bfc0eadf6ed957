import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = dirname(fileURLToPath(import.meta.url));

/** The package a bundled module belongs to, or null for our own source. */
function packageOf(moduleId) {
  const file = moduleId.replace(/^\0/, "").split("?")[0];
  if (!file.includes("/node_modules/")) return null;
  for (let folder = dirname(file); folder.includes("/node_modules/"); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const described = JSON.parse(readFileSync(manifest, "utf8"));
    if (described.name && described.version) return { folder, ...described };
  }
  return null;
}

function licenceText(folder) {
  const name = readdirSync(folder).sort().find((file) => /^licen[cs]e(\.|$)/i.test(file));
  return name ? readFileSync(join(folder, name), "utf8").replace(/\r\n/g, "\n").trim() : "";
}

function notice({ name, version, license, author, folder }) {
  const by = typeof author === "string" ? author : author?.name;
  const text = licenceText(folder) || `Distributed under the ${license} licence${by ? ` by ${by}` : ""}.`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Writes the licences of exactly the packages that ended up in the bundle. */
function thirdPartyLicences() {
  return {
    name: "third-party-licences",
    generateBundle(_options, bundle) {
      const packages = new Map();
      for (const chunk of Object.values(bundle)) {
        for (const [id, module] of Object.entries(chunk.modules ?? {})) {
          const found = module.renderedLength > 0 ? packageOf(id) : null;
          if (found) packages.set(found.name, found);
        }
      }
      const sorted = [...packages.keys()].sort().map((name) => notice(packages.get(name)));
      const rule = `\n${"-".repeat(72)}\n\n`;
      const head = "Packages in composer.js and their licences.\n";
      this.emitFile({ type: "asset", fileName: "THIRD_PARTY_LICENSES.txt", source: [head, ...sorted].join(rule) });
    },
  };
}

// Streamlit runs each script from a Blob URL, where relative imports lead nowhere: every entry is a build of its own.
const entries = {
  composer: { source: "src/loader.ts", plugins: [thirdPartyLicences()], first: true },
  mount: { source: "src/mount.ts", plugins: [], first: false },
};

export default defineConfig(({ mode }) => {
  const entry = entries[mode];
  if (!entry) throw new Error(`Build one of: ${Object.keys(entries).join(", ")} (npm run build).`);
  return {
    root: here,
    plugins: entry.plugins,
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir: join(here, "../../policypal/ui/composer_bundle"),
      emptyOutDir: entry.first,
      sourcemap: false,
      target: "es2022",
      // Streamlit takes a script or style sheet of one line for the name of a file.
      minify: entry.first ? "esbuild" : false,
      cssMinify: false,
      modulePreload: false,
      reportCompressedSize: false,
      // Not library mode: that leaves the white space of ES modules in.
      rollupOptions: {
        input: { [mode]: join(here, entry.source) },
        preserveEntrySignatures: "strict",
        output: { format: "es", entryFileNames: "[name].js", assetFileNames: "[name][extname]" },
      },
    },
  };
});
