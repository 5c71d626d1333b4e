import { beforeEach, describe, expect, it } from '@jest/globals';
import { changeSpanId, traceIdOf } from '../../shared/domain/sources/trace-id';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingSpans } from '../../shared/tracing/span.fixture';
import { changeRecord } from '../channel/channel.fixture';
import { AdmissionTraces } from './admission-traces';

const record = changeRecord({ change: 'e7d18842', manager: 'kubectl-edit' });
const traceId = traceIdOf({ kind: 'Secret', namespace: 'shop', name: 'db' }, 'e7d18842');
const ofChange = {
  'k8s.namespace.name': 'shop',
  'reroll.source': 'Secret shop/db',
  'reroll.change.id': 'e7d18842',
  'reroll.keys': ['password'],
  'reroll.user': 'alice',
  'reroll.manager': 'kubectl-edit',
};

let clock: FakeClock;
let spans: RecordingSpans;
let traces: AdmissionTraces;

beforeEach(() => {
  clock = new FakeClock();
  spans = new RecordingSpans();
  traces = new AdmissionTraces({ clock, spans });
});

describe('an admitted change', () => {
  it('begins its trace: from the head of the review to its answer', async () => {
    const receivedMs = clock.monotonicMs();
    const startMs = clock.nowMs();
    await clock.advance(12);
    clock.jump(3_600_000);
    traces.admitted(record, receivedMs);
    expect(spans.spans).toEqual([
      {
        ...{ traceId, spanId: changeSpanId(traceId), parentSpanId: undefined },
        ...{ name: 'admit Secret', kind: 'server', attributes: ofChange },
        ...{ startMs: startMs + 3_600_000, endMs: startMs + 3_600_012 },
      },
    ]);
    expect(spans.namespaces).toEqual(['shop']);
  });

  it('names twenty keys, each within bounds, and nothing that could forge a line', () => {
    const names = Array.from({ length: 100 }, (_, n) => `key-${n}\n${'x'.repeat(300)}`);
    traces.admitted(changeRecord({ change: 'e7d18842', changed: { added: names, changed: [], removed: [] } }), 0);
    const keys = spans.spans[0]!.attributes['reroll.keys'] as readonly string[];
    expect(keys).toHaveLength(20);
    for (const key of keys) expect(key).toMatch(/^key-\d+\\nx+…$/);
  });
});

describe('the delivery of its record', () => {
  it.each([
    ['10.0.0.1:8444', { 'server.address': '10.0.0.1', 'server.port': 8444 }],
    ['[fd00::1]:8444', { 'server.address': 'fd00::1', 'server.port': 8444 }],
  ])('to %s is below the admission', async (address, server) => {
    const onEnd = traces.delivery(record)!;
    await clock.advance(25);
    onEnd('sent', address);
    expect(spans.spans).toEqual([
      expect.objectContaining({
        ...{ traceId, parentSpanId: changeSpanId(traceId), name: 'deliver', kind: 'client', error: undefined },
        ...{ startMs: clock.nowMs() - 25, endMs: clock.nowMs() },
        attributes: { ...ofChange, ...server, 'reroll.delivery': 'sent' },
      }),
    ]);
  });

  it('to each replica is a span of its own, and one that fails says why', () => {
    const onEnd = traces.delivery(record)!;
    onEnd('sent', '10.0.0.1:8444');
    onEnd('unreachable', '10.0.0.2:8444');
    traces.delivery(record)!('no_replica');
    expect(new Set(spans.spans.map(({ spanId }) => spanId)).size).toBe(3);
    expect(spans.spans.map(({ error }) => error)).toEqual([undefined, 'unreachable', 'no_replica']);
  });
});

it('a record without the id of a change is in no trace', () => {
  traces.admitted(changeRecord(), 0);
  expect(traces.delivery(changeRecord())).toBeUndefined();
  expect(spans.spans).toEqual([]);
});
