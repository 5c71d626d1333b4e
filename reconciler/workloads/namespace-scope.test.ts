import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { namespaceDecoder } from './namespace-record';
import { NamespaceScope } from './namespace-scope';
import { at, workloadRecord } from '../../shared/domain/plan/records.fixture';

/** A stub of the workload index, as far as the scope uses it. */
class Index {
  readonly records = new Map<string, WorkloadRecord>();
  readonly forgotten: string[] = [];
  onUpsert: (record: WorkloadRecord) => unknown = () => undefined;

  readonly sink = {
    upsert: (record: WorkloadRecord) => {
      this.records.set(`${record.namespace}/${record.name}`, record);
      this.onUpsert(record);
    },
    remove: (key: string, uid?: string) => {
      if (uid === undefined || this.records.get(key)?.uid === uid) this.records.delete(key);
    },
    keys: () => this.records.keys(),
    synced: () => undefined,
  };

  forget(namespace: string): readonly WorkloadRecord[] {
    const forgotten = [...this.records].filter(([, record]) => record.namespace === namespace);
    for (const [key] of forgotten) this.records.delete(key);
    this.forgotten.push(...forgotten.map(([key]) => key));
    return forgotten.map(([, record]) => record);
  }
}

function world(selector = parseSelector('env=prod')) {
  const index = new Index();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const scope = new NamespaceScope({ clock, logger, selector, forget: (namespace) => index.forget(namespace) });
  const namespaces = scope.namespaceSink(() => undefined);
  const workloads = scope.workloadSink('Deployment', index.sink);
  const select = (name: string, writtenAtMs?: number, createdAtMs = at(0), version = '7') =>
    namespaces.upsert({ name, version, createdAtMs, writtenAtMs, isSelected: true }, 'watch');
  const leaveOut = (name: string, writtenAtMs: number) =>
    namespaces.upsert({ name, version: '7', createdAtMs: at(0), writtenAtMs, isSelected: false }, 'watch');
  const deselect = (name: string) => namespaces.remove(`/${name}`);
  return { index, scope, namespaces, workloads, select, leaveOut, deselect, logger, clock };
}

describe('NamespaceScope', () => {
  let gate: ReturnType<typeof world>;

  beforeEach(() => {
    gate = world();
  });

  it('passes everything on if there is no selector', () => {
    const { scope, workloads, index } = world(everything);
    expect(scope.isSelected('shop')).toBe(true);
    expect(workloads).toBe(index.sink);
  });

  it('passes workloads on when their namespace is selected, and removes them when it no longer is', () => {
    const { index, workloads, select, deselect, scope } = gate;
    workloads.upsert(workloadRecord({ name: 'web' }), 'list');
    workloads.upsert(workloadRecord({ name: 'api', namespace: 'bank' }), 'list');
    expect([...index.records.keys()]).toEqual([]);
    select('shop');
    expect([...index.records.keys()]).toEqual(['shop/web']);
    workloads.upsert(workloadRecord({ name: 'late' }), 'watch');
    expect([...index.records.keys()]).toEqual(['shop/web', 'shop/late']);
    deselect('shop');
    expect([...index.records.keys()]).toEqual([]);
    expect(scope.isSelected('shop')).toBe(false);
    expect([...workloads.keys()].toSorted()).toEqual(['bank/api', 'shop/late', 'shop/web']);
  });

  it.each([
    ['keeps its time after a restore of etcd to a newer version', '8', at(60)],
    ['loses its time, which was undone, after a restore to an older version', '6', 0],
  ])('a selected namespace %s', (_what, version, sinceMs) => {
    gate.namespaces.synced();
    gate.leaveOut('shop', at(30));
    gate.select('shop', at(60));
    gate.scope.restored(version);
    expect(gate.scope.selectedSinceMs('shop')).toBe(sinceMs);
  });

  it.each([
    ['also if it was written again before the watch showed it', at(60)],
    ['also where no times are kept', undefined],
  ])('a namespace that is new after the first list is selected since its creation, %s', (_also, writtenAtMs) => {
    gate.namespaces.synced();
    gate.select('shop', writtenAtMs, at(30));
    expect(gate.scope.selectedSinceMs('shop')).toBe(at(30));
    gate.select('shop', at(120), at(30));
    expect(gate.scope.selectedSinceMs('shop')).toBe(at(30));
  });

  it.each([
    ['by a label that was taken off: when that was seen', '!frozen', at(60), at(600)],
    ['by another write than the one that was seen before: that write', '!frozen', at(90), at(90)],
    ['by a label that it got, within the second of its creation', 'env=prod', at(60), at(60)],
  ])('is selected since it was, %s', async (_how, selector, writtenAtMs, sinceMs) => {
    const { namespaces, leaveOut, select, scope, clock } = world(parseSelector(selector));
    namespaces.synced();
    leaveOut('shop', at(60));
    await clock.advance(600_400);
    select('shop', writtenAtMs);
    expect(scope.selectedSinceMs('shop')).toBe(sinceMs);
  });

  it.each([
    ['since the last write before it, of which the list shows none', at(300), at(60)],
    ['since that write', at(60), at(60)],
  ])('is selected by a label that only a list shows %s', (_since, writtenAtMs, sinceMs) => {
    gate.namespaces.synced();
    gate.leaveOut('shop', at(60));
    const record = { name: 'shop', version: '7', createdAtMs: at(0), writtenAtMs, isSelected: true };
    gate.namespaces.upsert(record, 'list');
    expect(gate.scope.selectedSinceMs('shop')).toBe(sinceMs);
  });

  it('was selected, by a label that was taken off, before a later write that is shown with it late', async () => {
    const { namespaces, workloads, leaveOut, select, scope, clock, index } = world(parseSelector('!frozen'));
    namespaces.synced();
    leaveOut('shop', at(60));
    workloads.upsert(workloadRecord({ name: 'web' }), 'list');
    await clock.advance(600_400);
    select('shop', at(60));
    const sinceMs: number[] = [];
    index.onUpsert = ({ namespace }) => sinceMs.push(scope.selectedSinceMs(namespace));
    select('shop', at(300));
    select('shop', at(300));
    select('shop', at(700));
    // What was known about the workload, until it was selected again, is forgotten.
    expect([...index.records.keys(), ...index.forgotten]).toEqual(['shop/web', 'shop/web']);
    expect(sinceMs).toEqual([at(300)]);
    expect(scope.selectedSinceMs('shop')).toBe(at(300));
  });

  it('after a restore of etcd, holds nothing from before', () => {
    gate.workloads.upsert(workloadRecord({ name: 'web' }), 'watch');
    gate.scope.restored('6');
    gate.select('shop');
    expect([...gate.index.records.keys()]).toEqual([]);
  });

  it('after a restore of etcd, does not date a label by a write that was undone', () => {
    gate.namespaces.synced();
    gate.leaveOut('shop', at(60));
    gate.scope.restored('6');
    gate.select('shop', at(30));
    expect(gate.scope.selectedSinceMs('shop')).toBe(at(30));
  });

  it('is left out by a write that removes its label, and all namespaces are compared with a new list', () => {
    gate.workloads.upsert(workloadRecord({ name: 'web' }), 'list');
    gate.select('shop');
    gate.leaveOut('shop', at(60));
    gate.select('bank');
    expect([...gate.index.records.keys()]).toEqual([]);
    expect([...gate.namespaces.keys()].toSorted()).toEqual(['/bank', '/shop']);
    gate.deselect('shop');
    expect([...gate.namespaces.keys()]).toEqual(['/bank']);
  });

  it('was selected from the beginning if the first list shows it', () => {
    gate.select('shop', at(60));
    gate.namespaces.synced();
    expect(gate.scope.selectedSinceMs('shop')).toBe(0);
    gate.deselect('shop');
    gate.select('shop', at(90), at(90));
    expect(gate.scope.selectedSinceMs('shop')).toBe(at(90));
  });

  it('has a time if it was seen without the label, though the first list is not complete yet', () => {
    gate.leaveOut('shop', at(0));
    gate.select('shop', at(30));
    expect(gate.scope.selectedSinceMs('shop')).toBe(at(30));
  });

  it('keeps a held workload when the deletion of an earlier one of that name is reported late', () => {
    gate.workloads.upsert(workloadRecord({ name: 'web', uid: 'new' }), 'watch');
    gate.workloads.remove('shop/web', 'old');
    expect([...gate.workloads.keys()]).toEqual(['shop/web']);
    gate.workloads.remove('shop/web', 'new');
    expect([...gate.workloads.keys()]).toEqual([]);
  });

  it('logs a namespace that becomes selected or unselected, but not those of the first list', () => {
    gate.select('shop');
    gate.namespaces.synced();
    gate.workloads.upsert(workloadRecord({ namespace: 'bank' }), 'list');
    gate.select('bank');
    gate.deselect('shop');
    expect(gate.logger.lines.map(({ message, fields }) => [message, fields])).toEqual([
      ['namespace bank is selected', { namespace: 'bank', workloads: 1 }],
      ['namespace shop is no longer selected', { namespace: 'shop', workloads: 0 }],
    ]);
  });

  it('in whatever order events arrive, the index holds the newest version of all that is selected, and nothing else', () => {
    const name = fc.constantFrom('a', 'b');
    const place = fc.constantFrom('shop', 'bank');
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('select', 'deselect'), namespace: place, name }),
      fc.record({ do: fc.constantFrom('see', 'remove'), namespace: place, name }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { index, workloads, select, deselect } = world();
        const selected = new Set<string>();
        const stored = new Map<string, string>();
        for (const [version, { do: what, namespace, name: of }] of steps.entries()) {
          const key = `${namespace}/${of}`;
          if (what === 'select') select(namespace);
          if (what === 'deselect') deselect(namespace);
          if (what === 'select') selected.add(namespace);
          if (what === 'deselect') selected.delete(namespace);
          if (what === 'see') {
            stored.set(key, String(version));
            const record = { ...workloadRecord({ namespace, name: of }), resourceVersion: String(version) };
            workloads.upsert(record, 'watch');
          }
          if (what === 'remove') {
            stored.delete(key);
            workloads.remove(key);
          }
          const expected = [...stored].filter(([each]) => selected.has(each.slice(0, each.indexOf('/'))));
          const found = [...index.records].map(([each, { resourceVersion }]) => [each, resourceVersion]);
          expect(found.toSorted()).toEqual(expected.toSorted());
          expect([...workloads.keys()].toSorted()).toEqual([...stored.keys()].toSorted());
        }
      }),
    );
  });
});

describe('namespaceDecoder', () => {
  it.each([
    [{ env: 'prod' }, true],
    [{ env: 'dev' }, false],
    [undefined, false],
  ])('keeps name and times, and of the labels %j whether they select it', (labels, isSelected) => {
    const metadata = {
      ...(labels && { labels }),
      ...{ name: 'shop', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
      managedFields: [{ time: '2026-01-02T00:00:00Z' }],
    };
    expect(namespaceDecoder(parseSelector('env=prod')).fromJson({ metadata })).toEqual({
      ...{ key: '/shop', uid: 'u', resourceVersion: '7' },
      object: {
        name: 'shop',
        version: '7',
        createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
        writtenAtMs: Date.parse('2026-01-02T00:00:00Z'),
        isSelected,
      },
    });
  });

  it('refuses what has no name', () => {
    expect(() => namespaceDecoder(parseSelector('env=prod')).fromJson({ metadata: {} })).toThrow(
      'has no metadata.name',
    );
  });
});
