import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { describe, expect, it } from '@jest/globals';
import { projectDir } from './control-plane/versions';

const { outputs } = JSON.parse(readFileSync(path.join(projectDir, 'dist/reroll.meta.json'), 'utf8')) as Metafile;

/** The files of the bundle that are loaded together with the one that begins with this source. */
function loadedWith(source: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import' && imported in outputs) load(imported);
    }
  };
  load(partOf(source));
  return loaded;
}

function partOf(source: string): string {
  const part = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === source);
  if (part === undefined) throw new Error(`${source} begins no part of the bundle`);
  return part;
}

/** The sources of which something is in these files. */
function sourcesIn(files: ReadonlySet<string>): readonly string[] {
  return [...files].flatMap((file) =>
    Object.entries(outputs[file]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [input] : [],
    ),
  );
}

const ofTraces =
  /^(shared\/tracing\/(?!span-metrics)|(reconciler|webhook)\/tracing\/|node_modules\/@opentelemetry\/(?!api\/))/;

describe('what sends traces', () => {
  it.each(['main.ts', 'reconciler/process/assemble.ts', 'webhook/process/assemble.ts'])(
    'is not loaded with %s',
    (source) => {
      expect(sourcesIn(loadedWith(source)).filter((input) => ofTraces.test(input))).toEqual([]);
    },
  );

  it.each(['reconciler/tracing/restart-tracing.ts', 'webhook/tracing/admission-tracing.ts'])(
    'is in a part of its own, and of the SDK no more than the format: %s',
    (source) => {
      const sources = sourcesIn(loadedWith(source)).filter((input) => ofTraces.test(input));
      expect(sources).toContain('shared/tracing/span-exporter.ts');
      expect(sources.filter((input) => /sdk-(logs|metrics|trace)|api-logs|protobuf|detectors/.test(input))).toEqual([]);
    },
  );
});
