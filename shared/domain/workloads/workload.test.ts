import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultAnnotationKeys as keys, gateAnnotations } from '../annotations/annotations';
import type { PolicySettings } from '../policy/policy';
import { workloadKind, workloadKinds } from '../kubernetes/workload-kinds';
import { MalformedObjectError } from '../kubernetes/malformed-object-error';
import { isTrackedAlike, readWorkload, readWorkloadSpec, trackingSignature } from './workload';

const settings: PolicySettings = { autoReloadAll: false, ignoredWorkloadKinds: [] };
const deployment = workloadKind('Deployment');
const podSpec = { containers: [{ name: 'web', envFrom: [{ configMapRef: { name: 'app' } }] }] };

const metadata = {
  namespace: 'shop',
  name: 'web',
  uid: 'u-1',
  resourceVersion: '42',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
};

const object = (annotations: object = {}, template: object = {}, more: object = {}) => ({
  metadata: { ...metadata, annotations, ...more },
  spec: { template: { metadata: { annotations: template }, spec: podSpec } },
});

const read = (value: unknown, given = settings) => readWorkload(deployment, value, keys, given);

describe('readWorkload', () => {
  it('reads a whole record', () => {
    const annotations = {
      [keys.auto]: 'true',
      'reroll.dev/strategy': 'annotations',
      'reroll.dev/settle': '2s',
      'reroll.dev/baseline': '{"v":1}',
      'reroll.dev/last-restart': '{"at":1}',
    };
    const record = read(
      object(
        annotations,
        {},
        {
          ownerReferences: [
            { kind: 'Other', name: 'o' },
            { kind: 'App', name: 'shop', controller: true },
          ],
        },
      ),
    );
    expect(record).toEqual({
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      uid: 'u-1',
      resourceVersion: '42',
      generation: 3,
      createdAtMs: Date.UTC(2026, 0, 1),
      writtenAtMs: undefined,
      deleting: false,
      rolloutStatus: 'unseen',
      progress: { state: 'rolling', pods: 1, pendingPods: 1 },
      policy: expect.objectContaining({ ConfigMap: expect.objectContaining({ auto: 'auto' }) }),
      references: [{ kind: 'ConfigMap', name: 'app', keys: 'all', container: 'web' }],
      firstContainer: 'web',
      baselineText: '{"v":1}',
      settings: { strategy: 'annotations', settleMs: 2_000 },
      controlledBy: { kind: 'App', name: 'shop' },
      problems: [],
    });
  });

  it('reports whether it is rolled out', () => {
    const status = { observedGeneration: 3, replicas: 2, updatedReplicas: 2 };
    expect(read({ ...object(), status }).rolloutStatus).toBe('complete');
    expect(read({ ...object(), status: { ...status, replicas: 3 } }).rolloutStatus).toBe('progressing');
  });

  it.each(['namespace', 'name', 'uid', 'resourceVersion'])(
    'rejects an object without %s, and names what it knows',
    (field) => {
      for (const value of [undefined, '', 7]) {
        const attempt = () => read(object({}, {}, { [field]: value }));
        expect(attempt).toThrow(MalformedObjectError);
        expect(attempt).toThrow(`metadata.${field} is not a string`);
        expect(attempt).toThrow(field === 'name' ? 'Deployment shop' : 'web');
      }
      expect(() => read(null)).toThrow('Deployment without a name: metadata.namespace');
    },
  );

  it('takes the newest write that is neither to the status nor by Reroll', () => {
    const managedFields = [
      { manager: 'kubectl', time: '2026-01-02T00:00:00Z' },
      { manager: 'hpa', time: '2026-01-03T00:00:00Z', subresource: 'scale' },
      { manager: 'controller', time: '2026-01-04T00:00:00Z', subresource: 'status' },
      { manager: 'reroll', time: '2026-01-05T00:00:00Z' },
      { manager: 'old', time: '2026-01-01T00:00:00Z' },
      { manager: 'odd', time: 'never' },
    ];
    expect(read(object({}, {}, { managedFields })).writtenAtMs).toBe(Date.UTC(2026, 0, 3));
    expect(read(object({}, {}, { managedFields: managedFields.slice(2, 3) })).writtenAtMs).toBeUndefined();
  });

  it('treats an object without a creation time as older than any change', () => {
    expect(read(object({}, {}, { creationTimestamp: undefined, generation: '3' }))).toMatchObject({
      createdAtMs: 0,
      generation: 0,
    });
  });

  it('reports that an object is being deleted', () => {
    expect(read(object({}, {}, { deletionTimestamp: '2026-01-02T00:00:00Z' })).deleting).toBe(true);
  });

  it('keeps references only for opted-in workloads', () => {
    expect(read(object())).toMatchObject({ references: [], firstContainer: undefined });
    expect(read(object(), { ...settings, autoReloadAll: true }).references).toHaveLength(1);
    expect(read(object({ [keys.auto]: 'false' }), { ...settings, autoReloadAll: true }).references).toHaveLength(0);
    expect(read(object({}, { [keys.auto]: 'true' })).references).toHaveLength(1);
  });

  it.each(workloadKinds)('finds the pod template of a $kind', (kind) => {
    const template = { metadata: { annotations: { [keys.auto]: 'true' } }, spec: podSpec };
    const spec = kind.templatePath.slice(1).reduceRight<unknown>((inner, field) => ({ [field]: inner }), template);
    expect(readWorkload(kind, { metadata, spec }, keys, settings).references).toHaveLength(1);
  });

  it("does not read a CronJob's Job template annotations", () => {
    const jobTemplate = { metadata: { annotations: { [keys.auto]: 'true' } }, spec: { template: { spec: podSpec } } };
    expect(
      readWorkload(workloadKind('CronJob'), { metadata, spec: { jobTemplate } }, keys, settings).references,
    ).toEqual([]);
  });

  it('collects every problem', () => {
    const annotations = { [keys.configMapReload]: 'app[', 'reroll.dev/settle': '5', [keys.ignore]: 'true' };
    const found = read(object(annotations, { 'reroll.dev/strategy': 'annotations' })).problems.map(({ key }) => key);
    expect(found).toEqual([keys.configMapReload, 'reroll.dev/settle', keys.ignore, 'reroll.dev/strategy']);
  });

  it('caps the number of problems', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`reroll.dev/x${index}`, '']));
    expect(read(object(many)).problems).toHaveLength(20);
  });

  it('reads the node pool by the label that a flag names', () => {
    const spec = { template: { spec: { ...podSpec, nodeSelector: { 'example.com/pool': 'gpu', zone: 'a' } } } };
    const pool = (nodePoolLabel?: string) => {
      return readWorkload(deployment, { metadata, spec }, keys, settings, { nodePoolLabel }).nodePool;
    };
    expect([pool('example.com/pool'), pool('other'), pool()]).toEqual(['gpu', undefined, undefined]);
  });

  it('uses the configured keys', () => {
    const own = { ...keys, auto: 'acme/auto' };
    expect(readWorkload(deployment, object({ 'acme/auto': 'true' }), own, settings).references).toHaveLength(1);
    expect(readWorkload(deployment, object({ [keys.auto]: 'true' }), own, settings).references).toHaveLength(0);
  });

  it('throws only a MalformedObjectError, for any input', () => {
    const fields = fc.constantFrom(
      'metadata',
      'spec',
      'template',
      'annotations',
      'ownerReferences',
      'managedFields',
      keys.auto,
    );
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({
        metadata: fc.dictionary(fields, fc.jsonValue()).map((extra) => ({ ...metadata, ...extra })),
        spec: fc.dictionary(fields, fc.jsonValue()),
      }),
    );
    fc.assert(
      fc.property(json, (value) => {
        try {
          read(value, { ...settings, autoReloadAll: true });
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedObjectError);
        }
      }),
    );
  });
});

describe('readWorkloadSpec', () => {
  it('reads an object without a name', () => {
    const { spec } = object();
    const birth = { metadata: { generateName: 'web-', annotations: { [keys.auto]: 'true' } }, spec };
    expect(readWorkloadSpec(deployment, birth, keys, settings).references).toHaveLength(1);
  });
});

describe('trackingSignature', () => {
  const read = (annotations: object, pod: unknown = podSpec) =>
    readWorkloadSpec(deployment, { metadata: { annotations }, spec: { template: { spec: pod } } }, keys, settings);
  const signature = (annotations: object, pod?: unknown) => trackingSignature(read(annotations, pod));
  const base = signature({ [keys.auto]: 'true' });
  const env = (...names: string[]) => ({
    containers: [{ name: 'web', env: names.map((name) => ({ valueFrom: { configMapKeyRef: { name, key: 'k' } } })) }],
  });

  it('is short and changes only with policy and references', () => {
    expect(base).toHaveLength(22);
    expect(signature({ [keys.auto]: '1', 'reroll.dev/baseline': 'x' }, { ...podSpec, nodeName: 'n' })).toBe(base);
    expect(signature({ [keys.auto]: 'true' }, env('a', 'b'))).toBe(signature({ [keys.auto]: 'true' }, env('b', 'a')));
  });

  it.each<[string, object, unknown]>([
    ['opting out', {}, podSpec],
    ['another switch', { [keys.configMapAuto]: 'true' }, podSpec],
    ['a named source', { [keys.auto]: 'true', [keys.secretReload]: 'db' }, podSpec],
    ['a pattern', { [keys.auto]: 'true', [keys.secretReload]: 'db.*' }, podSpec],
    ['an exclusion', { [keys.auto]: 'true', [keys.configMapExclude]: 'x' }, podSpec],
    ['search', { [keys.auto]: 'true', [keys.search]: 'true' }, podSpec],
    [
      'another source',
      { [keys.auto]: 'true' },
      { containers: [{ name: 'web', envFrom: [{ configMapRef: { name: 'b' } }] }] },
    ],
    ['other keys', { [keys.auto]: 'true' }, env('app')],
    ['another list of keys that count', { [keys.auto]: 'true', [gateAnnotations.keys]: 'size' }, podSpec],
  ])('changes with %s', (_, annotations, pod) => {
    expect(signature(annotations, pod)).not.toBe(base);
    expect(isTrackedAlike(read({ [keys.auto]: 'true' }), read(annotations, pod))).toBe(false);
  });

  it('is not needed to see that a status update changes neither', () => {
    const again = read({ [keys.auto]: '1', 'reroll.dev/baseline': 'x' }, structuredClone(podSpec));
    expect(isTrackedAlike(read({ [keys.auto]: 'true' }), again)).toBe(true);
  });
});
