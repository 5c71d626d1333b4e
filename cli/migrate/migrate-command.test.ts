import { describe, expect, it } from '@jest/globals';
import { memoryFiles } from '../manifests/manifests.fixture';
import { auto, workload } from './difference-rows.fixture';
import { runMigrate } from './migrate.fixture';
import { migrateReportSchema } from './migrate-report';

const waved = workload({ metadata: { 'wave.pusher.com/update-on-config-change': 'true' } });
const ready = workload({ name: 'api', metadata: auto });
const files = memoryFiles({
  'ready.yaml': ready,
  'deploy/web.yaml': `${waved}---\n${ready}`,
  'broken.yaml': 'a: [',
  'template.yaml': 'metadata:\n  name: {{ .Values.name }}\n',
  '-': waved,
});
const block = (place: string): string => `${place}:7: Deployment shop/web (wave-opt-in)
  today: Wave restarts it when a ConfigMap or Secret that it uses changes.
  here:  Reroll does not read Wave's annotations.
  fix:   Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.
    write under metadata.annotations:
      reloader.stakater.com/auto: "true"
    remove from metadata.annotations:
      wave.pusher.com/update-on-config-change

`;

describe('reroll migrate', () => {
  it.each(['text', 'json'])('prints no name that could control a terminal as it is, in %s', async (output) => {
    const name = 'web\u009b31m\u202e';
    const hostile = memoryFiles({
      '-': workload({ name, metadata: { 'wave.pusher.com/update-on-config-change': 'true' } }),
    });
    const { out } = await runMigrate(['-f', '-', '-o', output], hostile);
    expect(out).toContain(String.raw`web\u009b31m\u202e`);
    expect(out).not.toMatch(/[\u009b\u202e]/);
    if (output === 'json') expect(migrateReportSchema.parse(JSON.parse(out)).findings[0]?.object.name).toBe(name);
  });

  it.each<[string, readonly string[], number, string, string]>([
    [
      'nothing to do',
      ['-f', 'ready.yaml'],
      0,
      'no findings, nothing to do for 1 of 1 workload: 1 object in 1 file\n',
      '',
    ],
    [
      ...(['something to write', ['-f', 'deploy'], 1] as const),
      `${block('deploy/web.yaml')}1 finding, nothing to do for 1 of 2 workloads: 2 objects in 1 file\n`,
      '',
    ],
    [
      ...(['standard input', ['-f', '-'], 1] as const),
      `${block('stdin')}1 finding, nothing to do for 0 of 1 workload: 1 object in 1 file\n`,
      '',
    ],
    [
      ...(['a file that is missing', ['-f', 'gone.yaml', '-f', 'ready.yaml'], 2] as const),
      'no findings, nothing to do for 1 of 1 workload, 1 error: 1 object in 1 file\n',
      'gone.yaml: cannot be read: there is no such file or directory\n',
    ],
    [
      ...(['a template of Helm', ['-f', 'template.yaml'], 2] as const),
      'no findings, nothing to do for 0 of 0 workloads, 1 error: 0 objects in 1 file\n',
      "template.yaml:1: a key is a map; if this is a template of Helm, render it first, with 'helm template'\n",
    ],
    [
      ...(['wrong flags', ['--output=sarif'], 2, ''] as const),
      '--output="sarif": no such format; accepted: text, json\nnothing to read: name manifests with --filename, or --namespace or --all-namespaces of a cluster\n\nRun \'reroll migrate --help\' for all flags.\n',
    ],
  ])('%s', async (_what, args, code, out, err) => {
    expect(await runMigrate(args, files)).toEqual({ code, out, err });
  });

  it('does not end with the code of findings if it fails itself', async () => {
    const failing = { ...files, read: async () => await Promise.resolve({} as Uint8Array) };
    const { code, err } = await runMigrate(['-f', 'ready.yaml'], failing);
    expect([code, err]).toEqual([2, expect.stringMatching(/ready\.yaml|reroll migrate failed/)]);
  });

  it.each<[string, Parameters<typeof runMigrate>[2], boolean]>([
    ['on a terminal', { isTerminal: true }, true],
    ['with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }, false],
    ['in a pipe', { isTerminal: false }, false],
  ])('writes colours %s: %#', async (_where, world, expected) => {
    for (const file of ['-', 'ready.yaml']) {
      expect((await runMigrate(['-f', file], files, world)).out.includes('\u001b[')).toBe(expected);
    }
    expect((await runMigrate(['-f', '-', '-o', 'json'], files, world)).out).not.toContain('\u001b');
  });

  it('prints JSON in its schema', async () => {
    const { code, out, err } = await runMigrate(['-f', 'deploy', '-f', 'broken.yaml', '-o', 'json'], files);
    const message = 'the indentation is wrong, or a bracket or brace is not closed';
    expect(migrateReportSchema.parse(JSON.parse(out))).toEqual({
      version: 1,
      summary: { files: 2, objects: 2, workloads: 2, ready: 1, findings: 1, errors: 1 },
      findings: [
        {
          code: 'wave-opt-in',
          today: 'Wave restarts it when a ConfigMap or Secret that it uses changes.',
          here: "Reroll does not read Wave's annotations.",
          fix: 'Make these edits in one write, while Wave still runs: it then leaves the workload to Reroll.',
          edits: [
            { action: 'write', under: 'metadata.annotations', line: 'reloader.stakater.com/auto: "true"' },
            { action: 'remove', under: 'metadata.annotations', line: 'wave.pusher.com/update-on-config-change' },
          ],
          object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
          ...{ file: 'deploy/web.yaml', line: 7 },
        },
      ],
      errors: [{ file: 'broken.yaml', line: 1, message }],
    });
    expect([code, err]).toEqual([2, `broken.yaml:1: ${message}\n`]);
  });

  it('escapes what could drive a terminal or forge a line', async () => {
    const forged = waved.replace('name: web', 'name: "a\\e[31m\\n::error::b"');
    const extra = forged.replace(
      'update-on-config-change: "true"',
      'update-on-config-change: "true"\n    wave.pusher.com/extra-secrets: "ops/\\e[2J,\\u202eb"',
    );
    const { out } = await runMigrate(['-f', '-'], memoryFiles({ '-': extra }));
    expect(out).toContain('Deployment shop/a\\u001b[31m\\n::error::b (wave-opt-in)');
    expect(out).toContain('Secret ops/\\u001b[2J');
    expect(out).toContain('secret.reloader.stakater.com/reload: "\\u202eb"');
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('\u202e');
    expect(out).not.toMatch(/^::error/m);
  });

  it('says nothing of the content of Secrets', async () => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {a: hunter2}\ndata: {b: aHVudGVyMg==}\n';
    const { out, err } = await runMigrate(['-f', '-', '-o', 'json'], memoryFiles({ '-': `${secret}---\n${waved}` }));
    expect(out + err).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
