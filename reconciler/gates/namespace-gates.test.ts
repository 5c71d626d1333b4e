import { describe, expect, it } from '@jest/globals';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { NamespaceRecord } from '../workloads/namespace-record';
import { NamespaceGates } from './namespace-gates';

function namespace(name: string, gates?: GateSettings): NamespaceRecord {
  const record = { name, version: '1', createdAtMs: 0, writtenAtMs: undefined, isSelected: true };
  return gates ? { ...record, gates } : record;
}

describe('NamespaceGates', () => {
  it('knows what namespaces say, and tells when one says something else', () => {
    const changed: string[] = [];
    const changes: (readonly [GateSettings | undefined, GateSettings | undefined])[] = [];
    const gates = new NamespaceGates(({ namespace: name, before, after }) => {
      changed.push(name);
      changes.push([before, after]);
    });
    let synced = 0;
    const sink = gates.sink(() => (synced += 1));
    sink.upsert(namespace('shop'), 'list');
    sink.upsert(namespace('ops', { hold: 'off' }), 'list');
    sink.synced();
    expect([gates.of('shop'), gates.of('ops'), synced, changed]).toEqual([undefined, { hold: 'off' }, 1, ['ops']]);
    expect([...sink.keys()]).toEqual(['/ops']);
    sink.upsert(namespace('ops', { hold: 'off' }), 'watch');
    sink.upsert(namespace('shop', { minIntervalMs: 5 }), 'watch');
    sink.upsert(namespace('ops'), 'watch');
    sink.remove('/shop');
    sink.remove('/other');
    expect([gates.of('shop'), gates.of('ops'), changed]).toEqual([
      undefined,
      undefined,
      ['ops', 'shop', 'ops', 'shop'],
    ]);
    expect(changes.slice(0, 3)).toEqual([
      [undefined, { hold: 'off' }],
      [undefined, { minIntervalMs: 5 }],
      [{ hold: 'off' }, undefined],
    ]);
  });
});
