import { transformSync, type Plugin } from 'esbuild';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What our own code of a target looks like to the fuzzer. */
export interface Instrumentation {
  readonly plugin: Plugin;
  /** Words that stand in the sources: what is compared with an input is mostly among them. */
  readonly words: ReadonlySet<string>;
}

/** Counters are cheap to read after each input, which V8's own coverage is not. */
const instrumenter = createInstrumenter({
  esModules: true,
  compact: true,
  coverageGlobalScope: 'globalThis',
  coverageGlobalScopeFunc: false,
});

/** Whose branches count: the product, and bugs that tests plant. */
const countedFiles = /\/(?:shared|webhook|reconciler|certs|e2e\/fuzz\/planted)\/.*\.ts$/;

const stringLiteral = /'([^'\\\n]{1,40})'|"([^"\\\n]{1,40})"/g;

interface InstrumentedFile {
  readonly code: string;
  readonly words: readonly string[];
}

/** Targets have most of their files in common. */
const instrumentedFiles = new Map<string, InstrumentedFile>();

/** Counts each statement and branch of our own files in a bundle. */
export function instrumentation(): Instrumentation {
  const words = new Set<string>();
  const plugin: Plugin = {
    name: 'coverage',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!countedFiles.test(path) || path.endsWith('.fixture.ts')) return undefined;
        const file = instrumentedFiles.get(path) ?? instrumented(path);
        instrumentedFiles.set(path, file);
        for (const word of file.words) words.add(word);
        return { contents: file.code, loader: 'js', resolveDir: dirname(path) };
      });
    },
  };
  return { plugin, words };
}

function instrumented(path: string): InstrumentedFile {
  const source = readFileSync(path, 'utf8');
  const { code } = transformSync(source, { loader: 'ts', sourcefile: path, target: 'node20' });
  const words = [...withoutImports(source).matchAll(stringLiteral)].map(([, single, double]) => single ?? double ?? '');
  return { code: instrumenter.instrumentSync(code, path), words };
}

function withoutImports(source: string): string {
  return source.replace(/^(?:import|export) [^;]*? from '[^']*';$/gm, '');
}
