import { describe, expect, it } from '@jest/globals';
import { changeSpanId, restartSpanId, spanIdOf, traceIdOf } from './trace-id';

const app = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;
const change = 'e7d18842';

describe('traceIdOf', () => {
  it('is 32 hex digits, and stays the same from version to version', () => {
    expect(traceIdOf(app, change)).toBe('de5099afe22e7ea685088f627f59b209');
  });

  it('differs for another change of the source, and for a change of another source with the same id', () => {
    const ids = [
      traceIdOf(app, change),
      traceIdOf(app, 'e7d18843'),
      traceIdOf({ ...app, name: 'api' }, change),
      traceIdOf({ ...app, namespace: 'pay' }, change),
      traceIdOf({ ...app, kind: 'Secret' }, change),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the id of a span', () => {
  const trace = traceIdOf(app, change);

  it('is 16 hex digits, and stays the same from version to version', () => {
    expect([changeSpanId(trace), restartSpanId(trace, '0a1b2c3d')]).toEqual(['06938fb3b6b6a695', 'c019f90061fa5b4a']);
  });

  it('differs by trace and by what the span is about', () => {
    const ids = [
      changeSpanId(trace),
      changeSpanId('0'.repeat(32)),
      restartSpanId(trace, '0a1b2c3d'),
      restartSpanId(trace, '0a1b2c3e'),
      spanIdOf(trace, 'restart', '0a1b2c3d', 'write'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not confuse where a part ends', () => {
    expect(spanIdOf(trace, 'ab', 'c')).not.toBe(spanIdOf(trace, 'a', 'bc'));
  });
});
