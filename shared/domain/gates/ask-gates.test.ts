import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GateSettings } from '../gate-settings/gate-settings';
import type { Hold } from '../gate-settings/hold';
import { parseRestartWindows } from '../gate-settings/restart-windows';
import { askGates, type GatesAnswer } from './ask-gates';
import type { GateLevel, GateQuestion } from './gate';

/** A Wednesday. */
const nowMs = Date.parse('2026-11-25T12:00:00Z');
const hourMs = 3_600_000;
const nights = parseRestartWindows('22:00-05:00');
const opensMs = Date.parse('2026-11-25T22:00:00Z');
const days = parseRestartWindows('08:00-18:00');
const forever: Hold = { untilMs: undefined, because: undefined };

interface Levels {
  readonly workload?: GateSettings;
  readonly source?: GateSettings;
  readonly namespace?: GateSettings;
  readonly install?: GateSettings;
}

function about(levels: Levels, others: Partial<GateQuestion> = {}): GateQuestion {
  const { workload, source, namespace, install } = levels;
  const all: readonly GateLevel[] = [
    { bearer: 'the workload', settings: workload },
    { bearer: 'ConfigMap app', settings: source },
    { bearer: 'namespace shop', settings: namespace },
    { bearer: undefined, settings: install },
  ];
  return { installHold: undefined, levels: all, lastRestartMs: undefined, nowMs, ...others };
}

const isOpen: GatesAnswer = { isOpen: true, passed: [] };

function closed(gate: string, detail: string, untilMs?: number): object {
  return { isOpen: false, closed: { gate, untilMs, detail } };
}

describe('askGates', () => {
  it('is open without settings, and without changes', () => {
    expect([askGates([about({})]), askGates([])]).toEqual([isOpen, isOpen]);
  });

  /** The nearest setting counts. docs/holding.md has a table of it, with a test of its own. */
  it.each<[string, Levels, object]>([
    ['a hold on the workload', { workload: { hold: forever } }, closed('hold', 'reroll.dev/hold on the workload')],
    ['a hold on the source', { source: { hold: forever } }, closed('hold', 'reroll.dev/hold on ConfigMap app')],
    ['a hold on the namespace', { namespace: { hold: forever } }, closed('hold', 'reroll.dev/hold on namespace shop')],
    ['a hold that is over', { workload: { hold: { untilMs: nowMs, because: undefined } } }, isOpen],
    [
      'a hold that is over on the workload, and one on the namespace',
      { workload: { hold: { untilMs: nowMs, because: undefined } }, namespace: { hold: forever } },
      isOpen,
    ],
    [
      'hold: false on the workload of a held namespace',
      { workload: { hold: 'off' }, namespace: { hold: forever } },
      isOpen,
    ],
    [
      'hold: false on the source of a held namespace',
      { source: { hold: 'off' }, namespace: { hold: forever } },
      isOpen,
    ],
    [
      'hold: false on the source of a held workload',
      { workload: { hold: forever }, source: { hold: 'off' } },
      closed('hold', 'reroll.dev/hold on the workload'),
    ],
    [
      'windows that are closed',
      { workload: { windows: nights } },
      closed('window', 'reroll.dev/windows on the workload: 22:00-05:00', opensMs),
    ],
    ['windows that are open', { workload: { windows: days } }, isOpen],
    ['open windows nearer than closed ones', { workload: { windows: days }, install: { windows: nights } }, isOpen],
    [
      'windows: always nearer than closed ones',
      { namespace: { windows: 'always' }, install: { windows: nights } },
      isOpen,
    ],
    [
      'windows of the install',
      { install: { windows: nights } },
      closed('window', '--restart-windows: 22:00-05:00', opensMs),
    ],
    [
      'next-rollout',
      { namespace: { mode: 'next-rollout' } },
      closed('next-rollout', 'reroll.dev/restart on namespace shop'),
    ],
    ['now nearer than next-rollout', { workload: { mode: 'now' }, namespace: { mode: 'next-rollout' } }, isOpen],
    ['an interval without a restart', { install: { minIntervalMs: hourMs } }, isOpen],
  ])('%s', (_what, levels, answer) => {
    expect(askGates([about(levels)])).toEqual(answer);
  });

  it.each<[number, object]>([
    [nowMs - hourMs, isOpen],
    [nowMs - hourMs + 1, closed('interval', '--min-interval: 1h', nowMs + 1)],
    // The clocks of two replicas differ by moments. A time that lies further ahead was written by somebody else.
    [nowMs + 1_000, closed('interval', '--min-interval: 1h', nowMs + hourMs + 1_000)],
    [nowMs + hourMs + 1, isOpen],
  ])('an interval after a restart at %d', (lastRestartMs, answer) => {
    expect(askGates([about({ install: { minIntervalMs: hourMs } }, { lastRestartMs })])).toEqual(answer);
  });

  it('an interval of 0 nearer than another', () => {
    const levels = { workload: { minIntervalMs: 0 }, install: { minIntervalMs: hourMs } };
    expect(askGates([about(levels, { lastRestartMs: nowMs - 1 })])).toEqual(isOpen);
  });

  it('the hold of the install is not overridden', () => {
    const installHold = { untilMs: nowMs + 1, because: 'incident 42', bearer: 'ConfigMap reroll/reroll-hold' };
    const levels = { workload: { hold: 'off' }, source: { isUrgent: true } } as const;
    expect(askGates([about(levels, { installHold })])).toEqual(
      closed('hold', 'ConfigMap reroll/reroll-hold: incident 42', nowMs + 1),
    );
    expect(askGates([about(levels, { installHold: { ...installHold, untilMs: nowMs } })])).toEqual(isOpen);
  });

  it('of several gates, the one that opens last is told', () => {
    const held: GateSettings = { hold: { untilMs: nowMs + hourMs, because: undefined }, windows: nights };
    expect(askGates([about({ workload: held })])).toMatchObject({ closed: { gate: 'window' } });
    expect(askGates([about({ workload: { ...held, hold: forever } })])).toMatchObject({ closed: { gate: 'hold' } });
  });

  it.each<[string, Levels, object]>([
    [
      'a window that closes again before a hold is over',
      { workload: { windows: days, hold: { untilMs: opensMs, because: undefined } } },
      closed('window', 'reroll.dev/windows on the workload: 08:00-18:00', opensMs + 10 * hourMs),
    ],
    [
      'a window that opens before a hold is over, and is open then',
      { workload: { windows: nights, hold: { untilMs: opensMs + hourMs, because: undefined } } },
      closed('hold', 'reroll.dev/hold on the workload', opensMs + hourMs),
    ],
    [
      'a hold without an end, in an open window',
      { workload: { windows: days, hold: forever } },
      closed('hold', 'reroll.dev/hold on the workload'),
    ],
  ])('tells when all are open: %s', (_, levels, answer) => {
    expect(askGates([about(levels)])).toEqual(answer);
  });

  it('tells the hold that follows the hold of the install', () => {
    const installHold = { untilMs: nowMs + 1, because: undefined, bearer: 'ConfigMap reroll/reroll-hold' };
    const levels = { namespace: { hold: { untilMs: opensMs, because: 'sale' } } };
    expect(askGates([about(levels, { installHold })])).toEqual(
      closed('hold', 'reroll.dev/hold on namespace shop: sale', opensMs),
    );
  });

  it('tells the first time at which all are open', () => {
    const hours = fc.integer({ min: 1, max: 40 }).map((count) => count * hourMs);
    const settings: fc.Arbitrary<GateSettings> = fc.record(
      {
        windows: fc.constantFrom(nights, days),
        minIntervalMs: hours,
        hold: hours.map((heldMs) => ({ untilMs: nowMs + heldMs, because: undefined })),
        isUrgent: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(settings, settings, (workload, namespace) => {
        const at = (ms: number): GateQuestion => about({ workload, namespace }, { lastRestartMs: nowMs, nowMs: ms });
        const answer = askGates([at(nowMs)]);
        const opens = answer.isOpen ? nowMs : (answer.closed.untilMs ?? Infinity);
        expect(askGates([at(opens)]).isOpen).toBe(true);
        for (let ms = nowMs; ms < opens; ms += hourMs) expect(askGates([at(ms)]).isOpen).toBe(false);
      }),
    );
  });

  describe('an urgent source', () => {
    const source: GateSettings = { isUrgent: true };

    it('passes windows and interval, and says so', () => {
      const levels = { workload: { windows: nights, minIntervalMs: hourMs }, source };
      expect(askGates([about(levels, { lastRestartMs: nowMs })])).toEqual({
        isOpen: true,
        passed: [
          { gate: 'window', untilMs: opensMs, detail: 'reroll.dev/windows on the workload: 22:00-05:00' },
          { gate: 'interval', untilMs: nowMs + hourMs, detail: 'reroll.dev/min-interval on the workload: 1h' },
        ],
      });
    });

    it.each<[string, GateSettings]>([
      ['hold', { hold: forever }],
      ['next-rollout', { mode: 'next-rollout' }],
    ])('does not pass %s', (gate, workload) => {
      expect(askGates([about({ workload, source })])).toMatchObject({ isOpen: false, closed: { gate } });
    });
  });

  describe('of several changes', () => {
    const held = about({ source: { hold: forever } });
    const later = about({ source: { hold: { untilMs: nowMs + 2 * hourMs, because: undefined } } });
    const sooner = about({ source: { hold: { untilMs: nowMs + hourMs, because: undefined } } });
    const urgent = about({ source: { isUrgent: true }, workload: { windows: nights } });

    it('one that may be answered is enough', () => {
      expect(askGates([held, about({}), later])).toEqual(isOpen);
    });

    it('the one that opens first is told', () => {
      expect(askGates([held, later, sooner])).toMatchObject({ closed: { untilMs: nowMs + hourMs } });
    });

    it('nothing is passed by urgency if another may be answered anyway', () => {
      expect(askGates([urgent, held])).toMatchObject({ isOpen: true, passed: [{ gate: 'window' }] });
      expect(askGates([urgent, about({})])).toEqual(isOpen);
      expect(askGates([about({}), urgent])).toEqual(isOpen);
    });
  });
});
