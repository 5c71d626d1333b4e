import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { describe, expect, it } from '@jest/globals';
import { Rooms } from './channel/rooms.fixture';
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

describe('the files that a process loads', () => {
  // With 43, Node's loader became hot at the start of the webhook, and V8's compiler for hot code took 4 MiB.
  it.each(['reconciler/process/assemble.ts', 'webhook/process/assemble.ts', 'certs/command.ts'])(
    'are few: %s',
    (source) => {
      expect(new Set([...loadedWith('main.ts'), ...loadedWith(source)]).size).toBeLessThanOrEqual(12);
    },
  );
});

const ofTraces =
  /^(shared\/tracing\/(?!span-metrics)|(reconciler|webhook)\/tracing\/|node_modules\/@opentelemetry\/(?!api\/))/;

/** What Express loads for what no process of ours does: each takes memory that a pod keeps. */
const neverCalled = /node_modules\/(body-parser|qs|send|serve-static)\//;

describe('what Express would load besides', () => {
  it.each(['reconciler/process/assemble.ts', 'webhook/process/assemble.ts'])('is not loaded with %s', (source) => {
    const loaded = loadedWith(source);
    const sources = sourcesIn(loaded);
    const contentTypes = [...loaded].reduce(
      (bytes, file) => bytes + (outputs[file]?.inputs['node_modules/mime-db/db.json']?.bytesInOutput ?? 0),
      0,
    );

    expect(sources.some((input) => input.startsWith('node_modules/express/'))).toBe(true);
    expect(sources.filter((input) => neverCalled.test(input))).toEqual([]);
    expect(contentTypes).toBeGreaterThan(0);
    expect(contentTypes).toBeLessThan(1_000);
  });

  it('is not missed where it answers', async () => {
    const rooms = await Rooms.open();
    try {
      const running = await rooms.run('webhook');
      const { address } = await running.line(({ message }) => message === 'serving metrics and probes');
      const contentTypeOf = async (path: string, method: string) =>
        (await fetch(`http://${String(address)}${path}`, { method })).headers.get('content-type');

      expect(await contentTypeOf('/readyz', 'GET')).toBe('application/json; charset=utf-8');
      expect(await contentTypeOf('/readyz?verbose&a[b]=c', 'GET')).toBe('text/plain; charset=utf-8');
      expect(await contentTypeOf('/metrics', 'GET')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(await contentTypeOf('/metrics', 'POST')).toBe('text/plain; charset=utf-8');
      expect(await contentTypeOf('/nothing', 'GET')).toBe('text/plain; charset=utf-8');
    } finally {
      await rooms.close();
    }
  });
});

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
