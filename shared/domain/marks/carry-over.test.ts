import { describe, expect, it, test } from '@jest/globals';
import { carryOver, changesTemplate } from './carry-over';
import { workloadKind, type WorkloadKindName } from '../kubernetes/workload-kinds';
import type { WorkloadMarks } from './workload-marks';

const marker = 'AAAAAAAAAAAAAAAAAAAAAA.0123abcd';
const at = '2026-11-01T10:00:00.000Z';
const auto = { 'reloader.stakater.com/auto': 'true' };
const restart = JSON.stringify({ at, id: '0123abcd', sources: { 'cm/app': null } });
const baseline = (n: number, uid = 'u-1'): string =>
  JSON.stringify({ v: 1, n, key: 'k', uid, sources: { 'cm/app': '-' } });
const ours = { 'reroll.dev/baseline': baseline(3), 'reroll.dev/last-restart': restart };
const lastReloadedFrom = { 'reloader.stakater.com/last-reloaded-from': '{"name":"app"}' };
const own = { name: 'STAKATER_APP_CONFIGMAP', value: marker };
const level = { name: 'LEVEL', value: 'info' };
const mode = { name: 'MODE', value: 'fast' };

interface Written {
  readonly annotations?: object;
  readonly template?: object | null;
  readonly env?: readonly object[];
  readonly image?: string;
  readonly replicas?: number;
  readonly kind?: WorkloadKindName;
}

function workload({ annotations = {}, template, env, image = 'web:1', replicas = 1, kind }: Written) {
  const containers = [
    { name: 'web', image, ...(env && { env }) },
    { name: 'sidecar', image: 'proxy' },
  ];
  const podTemplate = { metadata: template === null ? null : { annotations: template }, spec: { containers } };
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'u-1', annotations: { ...auto, ...annotations } },
    spec:
      kind === 'CronJob' ? { jobTemplate: { spec: { template: podTemplate } } } : { replicas, template: podTemplate },
  };
}

function carried(before: Written, after: Written, isDeliberate = false): WorkloadMarks {
  const kind = workloadKind(before.kind ?? 'Deployment');
  return carryOver({ kind, oldObject: workload(before), object: workload(after), isDeliberate });
}

test('no markers if there are more than any restart writes', () => {
  const markers = Array.from({ length: 501 }, (_, index) => ({ ...own, name: `STAKATER_A${String(index)}_CONFIGMAP` }));
  expect(carried({ env: markers.slice(1) }, { env: [] }).template.env).toHaveLength(500);
  expect(carried({ env: markers }, { env: [] }).template.env).toEqual([]);
});

test('does not run out of stack where the name of a variable is a deeply nested list', () => {
  const name = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  expect(carried({ env: [own] }, { env: [{ name }] }).template.env).toEqual([]);
  expect(carried({ env: [{ name }, own] }, { env: [] }).template.env).toEqual([]);
});

const none = {};
const both = ours;

test.each<[string, Written, Written, object, boolean?]>([
  ['nothing if there was nothing', {}, {}, none],
  ['nothing if nothing is lost', { annotations: ours }, { annotations: ours, replicas: 2 }, none],
  ['both if both are removed', { annotations: ours }, {}, both],
  ['both beside a real change', { annotations: ours }, { image: 'web:2' }, both],
  ['both of a CronJob', { kind: 'CronJob', annotations: ours }, { kind: 'CronJob' }, both],
  [
    'both if an older baseline replaces it',
    { annotations: ours },
    { annotations: { 'reroll.dev/baseline': baseline(2), 'reroll.dev/last-restart': '{}' } },
    both,
  ],
  [
    'the baseline if an unreadable one replaces it',
    { annotations: ours },
    { annotations: { ...ours, 'reroll.dev/baseline': 'x' } },
    { 'reroll.dev/baseline': baseline(3) },
  ],
  [
    'the baseline if one of another object replaces it, however new',
    { annotations: ours },
    { annotations: { ...ours, 'reroll.dev/baseline': baseline(9, 'u-0') } },
    { 'reroll.dev/baseline': baseline(3) },
  ],
  ['no baseline of another object', { annotations: { 'reroll.dev/baseline': baseline(9, 'u-0') } }, {}, none],
  [
    'nothing if a newer baseline replaces it',
    { annotations: ours },
    { annotations: { ...ours, 'reroll.dev/baseline': baseline(4) } },
    none,
  ],
  [
    'nothing if a baseline with the same number replaces it',
    { annotations: ours },
    { annotations: { ...ours, 'reroll.dev/baseline': JSON.stringify({ v: 1, n: 3, key: 'k', sources: {} }) } },
    none,
  ],
  ['no unreadable baseline', { annotations: { 'reroll.dev/baseline': 'x' } }, {}, none],
  [
    'only the last restart',
    { annotations: ours },
    { annotations: { 'reroll.dev/baseline': baseline(3) } },
    { 'reroll.dev/last-restart': restart },
  ],
  ['nothing if a person removes only that', { annotations: ours }, {}, none, true],
  ['both if a person changes more', { annotations: ours }, { image: 'web:2' }, both, true],
  [
    'both if a person changes another annotation',
    { annotations: { ...ours, a: '1' } },
    { annotations: { a: '2' } },
    both,
    true,
  ],
  [
    'both if a person restores what was recorded earlier',
    { annotations: ours },
    { annotations: { 'reroll.dev/baseline': baseline(2) } },
    both,
    true,
  ],
])('of the annotations: %s', (_what, before, after, annotations, ...[isDeliberate]) => {
  expect(carried(before, after, isDeliberate).annotations).toEqual(annotations);
});

const variable = (index: number) => [{ container: 'web', ...own, index }];

test.each<[string, Written, Written, object, boolean?]>([
  ['a variable', { env: [level, own, mode] }, { env: [level, mode] }, { env: variable(1) }],
  ['the only variable', { env: [own] }, {}, { env: variable(0) }],
  ['the only variable of an empty list', { env: [own] }, { env: [] }, { env: variable(0) }],
  [
    'a variable of Reloader',
    { env: [{ ...own, value: '0123456789012345678901234567890123456789' }] },
    {},
    { env: [{ ...variable(0)[0], value: '0123456789012345678901234567890123456789' }] },
  ],
  [
    'the removed ones among several',
    { env: [own, level, { ...own, name: 'STAKATER_DB_SECRET' }] },
    { env: [own, level] },
    { env: [{ container: 'web', name: 'STAKATER_DB_SECRET', value: marker, index: 2 }] },
  ],
  [
    'an annotation',
    { template: { ...lastReloadedFrom, a: '1' } },
    { template: { a: '1' } },
    { annotations: lastReloadedFrom },
  ],
  [
    'an annotation of a template without metadata',
    { template: lastReloadedFrom },
    { template: null },
    { annotations: lastReloadedFrom },
  ],
  [
    'our own restartedAt',
    { annotations: ours, template: { 'kubectl.kubernetes.io/restartedAt': at } },
    {},
    { annotations: { 'kubectl.kubernetes.io/restartedAt': at } },
  ],
  [
    'no restartedAt of a person',
    { annotations: ours, template: { 'kubectl.kubernetes.io/restartedAt': '2026-11-01T11:00:00Z' } },
    {},
    {},
  ],
  ['nothing beside a real change', { env: [own] }, { image: 'web:2' }, {}],
  ['nothing beside a variable that changes', { env: [own, level] }, { env: [{ ...level, value: 'debug' }] }, {}],
  ['nothing where the order changes too', { env: [level, own, mode] }, { env: [mode, level] }, {}],
  ['nothing that was changed', { env: [own] }, { env: [{ ...own, value: 'mine' }] }, {}],
  [
    'nothing beside another marker that was changed',
    { env: [own], template: lastReloadedFrom },
    { env: [{ ...own, value: marker + '0' }] },
    {},
  ],
  ['nothing that a person removes', { env: [own] }, {}, {}, true],
  ['no variable that only looks alike', { env: [{ name: 'STAKATER_APP_CONFIGMAP', value: 'on' }] }, {}, {}],
  ['no variable of another name', { env: [{ name: 'APP_CONFIGMAP', value: marker }] }, {}, {}],
])('of the template: %s', (_what, before, after, template, ...[isDeliberate]) => {
  expect(carried(before, after, isDeliberate).template).toEqual({ annotations: {}, env: [], ...template });
});

it.each([
  undefined,
  null,
  [],
  'x',
  { metadata: [], spec: { template: { spec: { containers: [null, { env: [null] }] } } } },
])('reads %j without an error', (object) => {
  const kind = workloadKind('Deployment');
  const nothing = { annotations: {}, template: { annotations: {}, env: [] } };
  expect(carryOver({ kind, object, oldObject: object, isDeliberate: false })).toEqual(nothing);
});

describe('changesTemplate', () => {
  const changes = (before: Written, after: Written): boolean =>
    changesTemplate({ kind: workloadKind('Deployment'), oldObject: workload(before), object: workload(after) });

  it('compares only the template', () => {
    expect(changes({}, { annotations: ours, replicas: 3 })).toBe(false);
    expect(changes({}, { image: 'web:2' })).toBe(true);
  });

  it('treats empty fields as missing', () => {
    expect(changes({ env: [], template: {} }, { template: null })).toBe(false);
  });
});
