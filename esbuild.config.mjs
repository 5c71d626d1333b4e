// Bundles the executable: its entry, and the parts that it loads when they are needed. A bundle starts four times faster
// and keeps half the memory of loading the packages file by file; what a process does not load, it keeps nothing of.
import { build } from 'esbuild';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Packages that others load and we never call. Express offers readers of bodies, with half a megabyte of character tables,
 * a parser of nested query strings and a server of files. node-fetch falls back to whatwg-url where Node has no URL; with
 * it comes Node's own `punycode`, for which newer Nodes print a warning on the terminal of whoever asks.
 */
const withoutUncalled = {
  name: 'without packages that are never called',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(body-parser|qs|send|serve-static|whatwg-url)$/ }, ({ path }) => ({
      path,
      namespace: 'empty',
    }));
    onLoad({ filter: /^/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** Of 2,500 content types, those that Express looks up for us: a process kept 700 KB for the others. */
const withUsedContentTypes = {
  name: 'with the content types that are used',
  setup({ onLoad }) {
    onLoad({ filter: /mime-db[\\/]db\.json$/ }, async ({ path }) => {
      const types = JSON.parse(await readFile(path, 'utf8'));
      const used = ['text/plain', 'text/html', 'application/json'].map((name) => [name, types[name]]);
      return { contents: JSON.stringify(Object.fromEntries(used)), loader: 'json' };
    });
  },
};

/**
 * The page of `reroll ui`: its script and style sheet are texts in the part that serves it, so no process reads a file for
 * it, and none but `reroll ui` has it in memory.
 */
const page = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { page: 'cli/ui/page/main.tsx', style: 'cli/ui/page/page.css' },
  outdir: 'dist/page',
  bundle: true,
  write: false,
  platform: 'browser',
  target: ['chrome123', 'firefox128', 'safari17.5'],
  format: 'esm',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  logLevel: 'warning',
});
const pageText = (extension) => page.outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';

const options = {
  absWorkingDir: import.meta.dirname,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  sourcemap: 'linked',
  minifySyntax: true,
  // Comments go with it: with one character beyond Latin-1, V8 keeps the whole source in two bytes each, 8 MB more.
  minifyWhitespace: true,
  // All licences are in deploy/third-party-licences.txt, which is shipped beside it.
  legalComments: 'none',
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  alias: {
    // Its CommonJS build hides its own files from bundlers.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // Of their CommonJS builds, all that they export is bundled: 430 KB instead of 16.
    '@opentelemetry/core': '@opentelemetry/core/build/esm/index.js',
    '@opentelemetry/otlp-transformer': '@opentelemetry/otlp-transformer/build/esm/index.js',
    // Nor its detectors of machines, each a part of its own.
    '@opentelemetry/resources': '@opentelemetry/resources/build/esm/ResourceImpl.js',
  },
  define: {
    REROLL_VERSION: JSON.stringify(version),
    REROLL_PAGE_SCRIPT: JSON.stringify(pageText('.js')),
    REROLL_PAGE_STYLE: JSON.stringify(pageText('.css')),
    'process.env.NODE_ENV': '"production"',
  },
  // What is in the bundle: the bill of materials is made of it.
  metafile: true,
  logLevel: 'warning',
};
const plugins = [withoutUncalled, withUsedContentTypes];

/** The sources that main.ts loads on demand, by the path of their part in `dist`, without its extension. */
const loadedOnDemand = new Map();

/** Leaves them out of the build of main.ts: they are built below. */
const withoutCommands = {
  name: 'without commands',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = relative(import.meta.dirname, resolve(resolveDir, path));
      const part = `parts/${source.replaceAll('/', '-')}`;
      loadedOnDemand.set(part, `${source}.ts`);
      return { path: `./${part}.mjs`, external: true };
    });
  },
};

// Parts of earlier builds have other names.
await rm(new URL('dist', import.meta.url), { recursive: true, force: true });
const built = [
  page,
  await build({ ...options, entryPoints: { reroll: 'main.ts' }, plugins: [withoutCommands, ...plugins] }),
];
// Each folder has files of its own, although they have much in common. Otherwise esbuild makes a file for each set of commands
// that share something: the webhook loaded 43. Finding them made Node's loader hot, and V8's compiler for hot code took 4 MiB.
const folderOf = (source) => source.split('/')[0];
for (const folder of new Set([...loadedOnDemand.values()].map(folderOf))) {
  const entryPoints = Object.fromEntries([...loadedOnDemand].filter(([, source]) => folderOf(source) === folder));
  built.push(await build({ ...options, entryPoints, plugins }));
}

await chmod(new URL('dist/reroll.mjs', import.meta.url), 0o755);
const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
await writeFile(new URL('dist/reroll.meta.json', import.meta.url), JSON.stringify({ outputs }));
