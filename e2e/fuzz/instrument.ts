import { transformSync, type Plugin } from 'esbuild';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the fuzzer needs from Reroll's own code in a target: coverage and words. */
export interface Instrumentation {
  readonly plugin: Plugin;
  /** The string literals of the sources. Most strings that the code compares an input with are among them. */
  readonly words: ReadonlySet<string>;
}

/** Uses counters, because V8's own coverage is too expensive to read after each input. */
const instrumenter = createInstrumenter({
  esModules: true,
  compact: true,
  coverageGlobalScope: 'globalThis',
  coverageGlobalScopeFunc: false,
});

/** Files whose branches are counted: the product, and the bugs that tests plant. */
const countedFiles = /\/(?:shared|webhook|reconciler|certs|e2e\/fuzz\/planted)\/.*\.ts$/;

const stringLiteral = /'([^'\\\n]{1,40})'|"([^"\\\n]{1,40})"/g;

interface InstrumentedFile {
  readonly code: string;
  readonly words: readonly string[];
}

/** A cache, because targets share most of their files. */
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
