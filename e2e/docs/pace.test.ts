import { describe, expect, it } from '@jest/globals';
import { RestartOrder } from '../../reconciler/gates/restart-order';
import { RestartTurns } from '../../reconciler/gates/restart-turns';
import { ReturningJobs } from '../../reconciler/gates/returning-jobs';
import { RollingWorkloads } from '../../reconciler/gates/rolling-workloads';
import { noStages, paced, type PacedOptions } from '../../reconciler/gates/gates.fixture';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { parseRestartRate } from '../../shared/domain/gate-settings/restart-rate';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { at, sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { paceOf, paceOptionTable } from '../../shared/runtime/options/pace-options';
import { parseOptions } from '../../shared/runtime/options/options';
import { tableAfter } from './tables';
import { textOf } from './pages';

const page = textOf('docs/pace.md');

/** `max-rolling: 5` as an annotation. */
function settingsIn(cell: string, bearer: 'source' | 'namespace'): GateSettings | undefined {
  const [, name, value = ''] = /^([\w-]+): (.*)$/.exec(cell) ?? [];
  const { settings, problems } = readGateSettings(name === undefined ? {} : { [`reroll.dev/${name}`]: value }, bearer);
  expect([cell, problems, settings !== undefined]).toEqual([cell, [], cell !== '']);
  return settings;
}

/** `--max-rolling=20 pods` is one argument, and `--max-rolling off` are two. */
function argsIn(cell: string): readonly string[] {
  if (cell === '') return [];
  return cell.includes('=') ? [cell] : cell.split(' ');
}

const scopes: Readonly<Record<string, string>> = {
  '--max-rolling:': 'the cluster',
  '--max-rolling-per-namespace:': 'the namespace',
  'reroll.dev/max-rolling on namespace shop:': 'the namespace',
  'reroll.dev/max-rolling on ConfigMap app:': 'the source',
};

function inWords(detail: string | undefined): string {
  if (detail === undefined) return 'begins';
  const scope = Object.keys(scopes).find((prefix) => detail.startsWith(prefix)) ?? '';
  return `waits for ${scopes[scope] ?? detail}`;
}

describe('docs/pace.md, how many at once', () => {
  const rows = tableAfter(page, 'How many at once');

  it('has a row for each scope', () => {
    const answers = ['begins', 'waits for the cluster', 'waits for the namespace', 'waits for the source'];
    expect([...new Set(rows.map((cells) => cells[5]))].toSorted()).toEqual(answers);
  });

  it.each(rows)(
    '%s | %s | %s | %s | %s: %s',
    (install = '', onNamespace = '', onSource = '', here = '', elsewhere = '', told) => {
      const clock = new FakeClock();
      const gates = settingsIn(onSource, 'source');
      const workloads = new Map<string, TrackedWorkload>();
      const index = {
        get: (key: string) => workloads.get(key),
        tracked: () => workloads.values(),
        usersOf: () => [],
        revisionOf: () => 0,
        revise: () => undefined,
      };
      const sources = {
        get: () => ({ ...sourceRecord({}), ...(gates && { gates }) }),
        limitingIn: () => (gates ? [{ kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const] : []),
      };
      const rolling = new RollingWorkloads({ clock, onFreed: () => undefined });
      const logger = new RecordingLogger();
      const onTurn = (): void => undefined;
      const order = new RestartOrder({ clock, workloads: index, sources, rolling, logger, owes: () => false, onTurn });
      const turns = new RestartTurns({
        ...{ clock, workloads: index, sources, rolling, order, onTurn },
        pace: paceOf(parseOptions(paceOptionTable, argsIn(install), {})),
        ...{ stages: noStages(), returning: new ReturningJobs(index) },
        namespaces: { of: (name) => (name === 'shop' ? settingsIn(onNamespace, 'namespace') : undefined) },
      });
      turns.begin();
      for (const [namespace, count] of [
        ['shop', here],
        ['bank', elsewhere],
      ] as const) {
        for (let n = 0; n < Number(count); n++) {
          const workload = paced({ name: `w-${n}`, namespace });
          workloads.set(workload.key, workload);
          turns.began(workload, { id: String(n), atMs: clock.nowMs() });
        }
      }
      const asked = turns.ask(paced({ name: 'web' }), [{ kind: 'ConfigMap', name: 'app' }]);
      expect(inWords(asked?.detail)).toBe(told);
    },
  );
});

/** The one that comes first: whether it owes a restart, and its last one, before or for the change. */
interface First extends PacedOptions {
  readonly owes?: boolean;
  readonly restarted?: 'before' | 'for it';
  readonly isGone?: boolean;
}

describe('docs/pace.md, what keeps an order waiting', () => {
  const rows = tableAfter(page, 'What keeps an order waiting');
  const writtenAtMs = at(0);
  /** The states that each row is about. */
  const firsts: Readonly<Record<string, readonly First[]>> = {
    'owes a restart for the change, or may': [{ owes: true }, { owes: true, restarted: 'before' }],
    'is held, or waits for a window, and so still owes': [
      { owes: true, gates: { hold: { untilMs: undefined, because: undefined } } },
      { owes: true, gates: { windows: parseRestartWindows('22:00-05:00') } },
    ],
    'rolls out, or has failed to, or is paused': (['rolling', 'failed', 'held'] as const).flatMap((state) => [
      { state, restarted: 'before' },
      { state, restarted: 'for it' },
    ]),
    'is a Job that is not complete': [
      { kind: 'Job', state: 'held', restarted: 'before' },
      { kind: 'Job', state: 'held', restarted: 'for it' },
    ],
    'is rolled out': [{}, { restarted: 'before' }, { restarted: 'for it' }],
    'has been broken since before the change, and owes nothing': [
      { state: 'failed' },
      { state: 'failed', restarted: 'before' },
    ],
    'is deleted, or asks for no restarts any more': [{ isGone: true, owes: true }],
  };

  /** Whether a workload waits for the one that comes first: by its wave, by name, or as its owner. */
  function waits(first: First, by: 'wave' | 'after' | 'owner'): boolean {
    const { owes = false, restarted, isGone = false, gates, ...options } = first;
    const [name, kind] = ['first', options.kind ?? 'Deployment'];
    const lastRestart = restarted && { id: 'a', atMs: restarted === 'before' ? at(-60) : at(1) };
    const workload = paced({ ...options, name, gates: { ...gates, wave: -1 }, ...(lastRestart && { lastRestart }) });
    const ownWave = by === 'wave' ? 0 : -1;
    const after = by === 'after' ? [{ kind, name }] : [];
    const owner = by === 'owner' ? { controlledBy: { kind, name } } : {};
    const asking = paced({ name: 'web', gates: { wave: ownWave, after }, ...owner });
    const workloads = isGone ? [asking] : [workload, asking];
    const order = new RestartOrder({
      clock: new FakeClock(),
      workloads: {
        get: (key) => workloads.find((each) => each.key === key),
        usersOf: () => workloads,
        revisionOf: () => 0,
      },
      sources: { get: () => sourceRecord({ writtenAtMs }) },
      rolling: { isRolling: () => false },
      owes: ({ key }) => key === asking.key || owes,
      ...{ logger: new RecordingLogger(), onTurn: () => undefined },
    });
    return order.ask(asking, [{ kind: 'ConfigMap', name: 'app' }]) !== undefined;
  }

  const inWords = (isWaiting: boolean): string => (isWaiting ? 'waits' : 'goes on');

  it('is about these states', () => expect(rows.map(([what]) => what)).toEqual(Object.keys(firsts)));

  it.each(rows)('%s: in a lower wave %s, named or owner %s', (what = '', inWave = '', named = '') => {
    for (const first of firsts[what] ?? []) {
      const isForIt = first.restarted === 'for it';
      const told = inWave === 'waits, if it has restarted for the change' ? inWords(isForIt) : inWave;
      const found = (['wave', 'after', 'owner'] as const).map((by) => inWords(waits(first, by)));
      expect([first, found]).toEqual([first, [told, named, named]]);
    }
  });
});

describe('docs/pace.md, how fast', () => {
  it.each(['30/m', '5/10s', '600/h'])('%s is a rate', (rate) => {
    expect(page).toContain(rate);
    expect(parseRestartRate(rate)).toBeDefined();
  });
});
