import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import type { JsonObject } from '../apiserver/json';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures } from './admission-counts';
import { untilCalled } from './probe';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

/** The namespace whose sources are checked because of a flag. */
const strict = 'strict';

/** Part of contents. No message may contain it. */
const canary = 'hunter2';
const broken = { 'a.json': `{"a": ${canary}}` };
const brokenFault = 'a.json:1:7: this is not a JSON value';

type Texts = Readonly<Record<string, string>>;

let cluster: RerollCluster;
let webhook: RerollProcess;
let sources = 0;

/** What kubectl reports about a write. */
interface Outcome {
  readonly warnings: readonly string[];
  readonly denied: string | undefined;
}

const quiet: Outcome = { warnings: [], denied: undefined };

function newName(): string {
  return `source-${String(sources++)}`;
}

function source(kind: string, name: string, asked: Texts, data: Texts, within = namespace): JsonObject {
  const annotations = Object.fromEntries(Object.entries(asked).map(([key, value]) => [`reroll.dev/${key}`, value]));
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: within, annotations },
    ...(kind === 'Secret' ? { stringData: data } : { data }),
  };
}

/** The annotation that makes a ConfigMap a schema. */
const isSchema = { 'is-schema': 'true' };

/**
 * Applies an object server-side, because `kubectl apply` otherwise stores a copy of it, which may be too large.
 * Warnings make kubectl fail, but only after the write.
 */
async function apply(object: JsonObject, ...flags: readonly string[]): Promise<Outcome> {
  const args = ['apply', '--server-side', '--warnings-as-errors', '-f', '-', ...flags];
  try {
    await cluster.plane.kubectl(args, { stdin: stringify(object) });
    return quiet;
  } catch (thrown) {
    const message = (thrown as Error).message;
    expect(message).not.toContain(canary);
    return {
      warnings: [...message.matchAll(/Warning: (.*)/g)].map(([, line]) => line!),
      denied: /denied the request: (.*)/.exec(message)?.[1],
    };
  }
}

async function stored(kind: string, name: string): Promise<boolean> {
  const path = `/api/v1/namespaces/${namespace}/${kind === 'Secret' ? 'secrets' : 'configmaps'}/${name}`;
  return (await cluster.admin.get(path)).status === 200;
}

beforeAll(async () => {
  cluster = await RerollCluster.start();
  webhook = await cluster.webhook({ flags: [`--validate-namespaces=${strict}=deny`] });
  await untilCalled(cluster, webhook);
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: strict } },
    source('ConfigMap', 'shapes', isSchema, { 'app.json': '{"properties": {"port": {"type": "integer"}}}' }),
    source('ConfigMap', 'two-shapes', isSchema, { 'a.json': '{}', 'b.json': '{}' }),
    source('ConfigMap', 'broken-shapes', isSchema, { 'app.json': '{"properties":' }),
    source('ConfigMap', 'endless-shapes', isSchema, { 'app.json': '{"$ref": "#"}' }),
    source('ConfigMap', 'wild-shapes', isSchema, { 'app.json': '{"patternProperties": {"(?=x)": {}}}' }),
  );
});

afterAll(async () => await cluster.stop());

describe.each(['ConfigMap', 'Secret'])('of a %s', (kind) => {
  const prefix = (name: string): string => `${kind} ${namespace}/${name}: `;

  it.each<[string, Texts, Texts, string]>([
    ['JSON', {}, broken, brokenFault],
    ['YAML', {}, { 'a.yaml': `a: 1\na: ${canary}\n` }, 'a.yaml:2:1: this key appears twice'],
    ['TOML', {}, { 'a.toml': `\na = ${canary}\n` }, 'a.toml:2:5: this is not a value: a text needs quotes'],
    [
      'properties',
      {},
      { 'a.properties': `a=${canary}\\u1\n` },
      'a.properties:1:10: a \\u escape needs four hexadecimal digits',
    ],
    ['variables', {}, { 'a.env': `A="${canary}\n` }, 'a.env:1:3: a quote is not closed'],
    [
      'a schema',
      { schema: 'a.yaml=shapes' },
      { 'a.yaml': `port: ${canary}\n` },
      'a.yaml:1:7: the type is not one that the schema allows (shapes/app.json:1:34)',
    ],
    ['required keys', { 'required-keys': 'a.json,b' }, { 'a.json': '{}' }, 'the key b is missing'],
    ['its size', { 'max-bytes': '6' }, { a: canary }, 'the content has 7 bytes, the limit is 6'],
  ])('%s that does not hold is denied, or warned of', async (_what, asked, data, fault) => {
    const name = newName();
    expect(await apply(source(kind, name, { ...asked, validate: 'deny' }, data))).toEqual({
      warnings: [],
      denied: `${prefix(name)}${fault}`,
    });
    expect(await stored(kind, name)).toBe(false);
    expect(await apply(source(kind, name, { ...asked, validate: 'warn' }, data))).toEqual({
      warnings: [`${prefix(name)}${fault}`],
      denied: undefined,
    });
    expect(await stored(kind, name)).toBe(true);
  });
});

describe('allows where it cannot tell, and says so:', () => {
  const sound = { 'a.json': '{"port": 80}' };

  it.each<[string, Texts, Texts, string, string]>([
    ['no schema', { schema: 'none' }, sound, 'schema_missing', 'there is no ConfigMap none in shop that is annotated'],
    [
      'one of two schemas',
      { schema: 'two-shapes' },
      sound,
      'schema_missing',
      'has 2 keys: name the one with the schema',
    ],
    ['a broken schema', { schema: 'broken-shapes' }, sound, 'schema_unreadable', 'broken-shapes/app.json:1:15'],
    ['an endless schema', { schema: 'endless-shapes' }, sound, 'schema_unreadable', 'are too complex'],
    [
      'a pattern with look-ahead',
      { schema: 'wild-shapes' },
      sound,
      'schema_unreadable',
      'this pattern is not an RE2 pattern',
    ],
    ['much YAML', {}, { 'a.yaml': `a: ${'x'.repeat(200_000)}\n` }, 'too_large', 'it has more than 131072 bytes'],
    [
      'YAML that takes for ever',
      {},
      { 'a.yaml': `${'['.repeat(200)}${']'.repeat(200)}\n--- `.repeat(310) },
      'deadline',
      'it takes too long',
    ],
    [
      'TOML that is too deep',
      {},
      { 'a.toml': `a = ${'['.repeat(9_000)}` },
      'too_large',
      'it is nested more than 256 levels deep',
    ],
    ['an annotation that cannot be meant', { 'max-bytes': 'few' }, sound, 'annotation', 'is not a size and is ignored'],
  ])('%s', async (_what, asked, data, reason, line) => {
    const name = newName();
    const unchecked = async (): Promise<number> =>
      (await metricsOf(webhook)).sum('reroll_webhook_unchecked_total', { reason });
    const before = await unchecked();
    const { warnings, denied } = await apply(source('ConfigMap', name, { ...asked, validate: 'deny' }, data));
    expect(denied).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(line)]);
    expect(await stored('ConfigMap', name)).toBe(true);
    expect(await unchecked()).toBe(before + 1);
  });

  it('a schema that it may not read', async () => {
    const role = ['clusterrole', 'reroll-webhook', '--type=json', '-p'];
    const setVerbs = async (verbs: readonly string[]): Promise<void> => {
      const patch = JSON.stringify([{ op: 'replace', path: '/rules/0/verbs', value: verbs }]);
      await cluster.plane.kubectl(['patch', ...role, patch]);
    };
    await setVerbs(['watch']);
    const { warnings, denied } = await apply(
      source('ConfigMap', newName(), { validate: 'deny', schema: 'shapes' }, { 'a.json': '{"port": "x"}' }),
    );
    expect(denied).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('there is no ConfigMap shapes in shop that is annotated')]);
    await setVerbs(['get']);
  });
});

it('a broken object can be mended key by key', async () => {
  const name = newName();
  const asked = { validate: 'deny' };
  const second = 'b.json:1:1: a value is missing';
  const told = (line: string): string => `ConfigMap ${namespace}/${name}: ${line}`;
  await apply(source('ConfigMap', name, {}, { ...broken, 'b.json': '' }));
  // Adding only the annotation causes a check, too.
  expect(await apply(source('ConfigMap', name, asked, { ...broken, 'b.json': '' }))).toEqual({
    warnings: [told(brokenFault), told(second)],
    denied: undefined,
  });
  expect(await apply(source('ConfigMap', name, asked, { 'a.json': '{}', 'b.json': '' }))).toEqual({
    warnings: [told(second)],
    denied: undefined,
  });
  expect(await apply(source('ConfigMap', name, asked, { 'a.json': '{', 'b.json': '' }))).toEqual({
    warnings: [told(second)],
    denied: told('a.json:1:2: a closing brace is missing'),
  });
});

it('a dry run tells what the write would', async () => {
  const denied = await apply(source('ConfigMap', newName(), { validate: 'deny' }, broken), '--dry-run=server');
  expect(denied.denied).toContain(brokenFault);
  const warned = await apply(source('ConfigMap', newName(), { validate: 'warn' }, broken), '--dry-run=server');
  expect(warned.warnings).toEqual([expect.stringContaining(brokenFault)]);
});

it('a namespace is checked by the flag, and an object can be left out', async () => {
  expect((await apply(source('ConfigMap', newName(), {}, broken, strict))).denied).toContain(brokenFault);
  expect(await apply(source('ConfigMap', newName(), { validate: 'off' }, broken, strict))).toEqual(quiet);
  expect(await apply(source('ConfigMap', newName(), {}, broken))).toEqual(quiet);
});

it('a write that is denied is no change that reconcilers hear of, and what is broken can be deleted', async () => {
  const name = newName();
  await apply(source('ConfigMap', name, { validate: 'warn' }, broken));
  const records = async (): Promise<number> => (await metricsOf(webhook)).sum('reroll_webhook_records_total');
  const before = await records();
  const { denied } = await apply(source('ConfigMap', name, { validate: 'deny' }, { 'a.json': '' }));
  expect(denied).toContain('a.json:1:1');
  expect(await records()).toBe(before);
  await cluster.plane.kubectl(['-n', namespace, 'delete', 'configmap', name]);
});

it('no condition failed, and no call', async () => {
  expect(await admissionFailures(cluster)).toMatchObject({ failOpen: 0, conditionErrors: 0 });
});
