import { describe, expect, it } from '@jest/globals';
import { RestartOrder } from '../../reconciler/gates/restart-order';
import { RestartTurns } from '../../reconciler/gates/restart-turns';
import { ReturningJobs } from '../../reconciler/gates/returning-jobs';
import { RollingWorkloads } from '../../reconciler/gates/rolling-workloads';
import { noStages, paced } from '../../reconciler/gates/gates.fixture';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { parseRestartRate } from '../../shared/domain/gate-settings/restart-rate';
import { predecessorStanding } from '../../shared/domain/gates/order-gate';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
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
      };
      const sources = { get: () => ({ ...sourceRecord({}), ...(gates && { gates }) }) };
      const rolling = new RollingWorkloads({ clock, onFreed: () => undefined });
      const logger = new RecordingLogger();
      const onTurn = (): void => undefined;
      const order = new RestartOrder({ workloads: index, sources, rolling, logger, owes: () => false, onTurn });
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
        // prettier-ignore
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

describe('docs/pace.md, what keeps an order waiting', () => {
  const rows = tableAfter(page, 'What keeps an order waiting');

  it.each([
    ['owes a restart for the change, or may', predecessorStanding(true, 'healthy'), true],
    ['is held, or waits for a window, and so still owes', predecessorStanding(true, 'failed'), true],
    ['rolls out, or has failed to, or is paused', predecessorStanding(false, 'rolling'), true],
    ['is a Job that is not complete', predecessorStanding(false, 'held'), true],
    ['is rolled out', predecessorStanding(false, 'healthy'), false],
  ])('%s', (what, standing, waits) => {
    const [, inWave = '', byName] = rows.find(([first]) => first === what) ?? [];
    expect([standing !== 'done', byName, inWave.startsWith('waits')]).toEqual([
      waits,
      waits ? 'waits' : 'goes on',
      waits,
    ]);
  });
});

describe('docs/pace.md, how fast', () => {
  it.each(['30/m', '5/10s', '600/h'])('%s is a rate', (rate) => {
    expect(page).toContain(rate);
    expect(parseRestartRate(rate)).toBeDefined();
  });
});
