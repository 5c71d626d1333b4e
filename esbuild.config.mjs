// Bundles the one executable. A bundle starts four times faster and keeps half the memory of loading the packages file by file.
import { build } from 'esbuild';
import { chmod, readFile, writeFile } from 'node:fs/promises';

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));

const { metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { reroll: 'main.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  sourcemap: 'linked',
  minifySyntax: true,
  // Comments go with it: with one character beyond Latin-1, V8 keeps the whole source in two bytes each, 8 MB more.
  minifyWhitespace: true,
  legalComments: 'linked',
  // The young generation is the lever on memory: 24 MB less at the first lists of a large cluster, at no measurable cost.
  banner: { js: '#!/usr/bin/env -S node --max-semi-space-size=2' },
  // Its CommonJS build hides its own files from bundlers.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: { REROLL_VERSION: JSON.stringify(version) },
  // What is in the bundle: the bill of materials is made of it.
  metafile: true,
  logLevel: 'warning',
});
await chmod(new URL('dist/reroll.js', import.meta.url), 0o755);
await writeFile(new URL('dist/reroll.meta.json', import.meta.url), JSON.stringify(metafile));
