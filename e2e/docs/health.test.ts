import { describe, expect, it } from '@jest/globals';
import { noChecks, paced } from '../../reconciler/gates/gates.fixture';
import { RestartStages } from '../../reconciler/gates/restart-stages';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { rolloutStage, type RestartedUser } from '../../shared/domain/gates/source-rollout';
import { at, policySettings, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { parseOptions } from '../../shared/runtime/options/options';
import { stageOptionTable, stagesOf } from '../../shared/runtime/options/stage-options';
import { textOf } from './pages';
import { tableAfter } from './tables';

const page = textOf('docs/health.md');
const settings = stagesOf(parseOptions(stageOptionTable, [], {}));
const nowMs = Date.UTC(2026, 0, 1);

/** `41, one of which has failed` */
function restartedIn(cell: string): readonly RestartedUser[] {
  const [, count = '0', , forS = '3600'] = /^(\d+), (all )?healthy(?: for (\d+) s)?$/.exec(cell) ?? [];
  const healthySinceMs = nowMs - Number(forS) * 1_000;
  const [, others = count, what = ''] = /^(\d+), (?:one of )?which (.*)$/.exec(cell) ?? [];
  const users = Array.from({ length: cell === 'none' ? 0 : Number(others) }, (_, n): RestartedUser => {
    const title = `w-${n}`;
    return {
      key: title,
      title,
      restartedAtMs: nowMs - 90_000 + n,
      state: 'healthy',
      isForIt: true,
      hasRestartedSince: false,
      deadlineFromMs: nowMs - 90_000 + n,
      healthySinceMs,
    };
  });
  const last = users.at(-1);
  if (what === '' || !last) return users;
  const state = what === 'has failed' ? 'failed' : 'rolling';
  const restartedAtMs = what.endsWith('10 min') ? nowMs - 600_000 : last.restartedAtMs;
  return [
    ...users.slice(0, -1),
    { ...last, state, restartedAtMs, deadlineFromMs: restartedAtMs, healthySinceMs: undefined },
  ];
}

function inWords(users: number, restarted: readonly RestartedUser[]): string {
  const stage = rolloutStage({ users, restarted, nowMs }, settings);
  switch (stage.is) {
    case 'open':
      return 'all begin';
    case 'begins':
      return stage.mayBegin === 1 ? '1 begins' : `${stage.mayBegin} begin`;
    case 'waits':
      return 'wait';
    case 'stopped':
    case 'rolled-back':
      return 'are stopped';
  }
}

describe('docs/health.md, the stages', () => {
  const rows = tableAfter(page, 'The stages');

  it('has a row for each answer', () => {
    expect(new Set(rows.map(([, , told = '']) => told.replace(/^\d+ begins?/, 'n begin')))).toEqual(
      new Set(['n begin', 'all begin', 'wait', 'are stopped']),
    );
  });

  it.each(rows)('%s users, %s: %s', (users = '', restarted = '', told) => {
    expect(inWords(Number(users), restartedIn(restarted))).toBe(told);
  });

  it('begin at the number of users that is the default', () => {
    expect(page).toContain(`sources with ${settings.fromUsers} or more users`);
    expect([settings.healthyForMs, settings.deadlineMs]).toEqual([30_000, 600_000]);
  });
});

/** `stages: on` as an annotation. */
function settingsIn(cell: string, bearer: 'workload' | 'source' | 'namespace'): GateSettings | undefined {
  const [, value] = /^stages: (.*)$/.exec(cell) ?? [];
  const { settings, problems } = readGateSettings(value === undefined ? {} : { 'reroll.dev/stages': value }, bearer);
  expect([cell, problems, settings !== undefined]).toEqual([cell, [], cell !== '']);
  return settings;
}

describe('docs/health.md, who has stages', () => {
  const rows = tableAfter(page.replaceAll('\n### ', '\n## '), 'Who has stages');
  const app = { kind: 'ConfigMap', name: 'app' } as const;

  it('has a row for each bearer alone, for each two of them, and for the number', () => {
    const bearersOf = ([, ...cells]: readonly string[]): string =>
      cells.slice(0, 3).flatMap((cell, index) => (cell === '' ? [] : [['each user', 'source', 'namespace'][index]])).join(' and '); // prettier-ignore
    expect(new Set(rows.map(bearersOf))).toEqual(
      new Set(['', 'each user', 'source', 'namespace', 'each user and source', 'each user and namespace', 'source and namespace']), // prettier-ignore
    );
  });

  it.each(rows)('%s | %s | %s | %s | %s: %s', (...row) => {
    const [count = '', ofUser = '', ofSource = '', ofNamespace = '', install = '', told] = row;
    const gates = settingsIn(ofUser, 'workload');
    const users = Array.from({ length: Number(count) }, (_, n) => paced({ name: `w-${n}`, ...(gates && { gates }) }));
    const sourceGates = settingsIn(ofSource, 'source');
    const namespaceGates = settingsIn(ofNamespace, 'namespace');
    const stages = new RestartStages({
      ...{ clock: new FakeClock(), checks: noChecks(), policy: policySettings },
      settings: stagesOf(parseOptions(stageOptionTable, install === '' ? [] : [install], {})),
      workloads: { get: (key) => users.find((user) => user.key === key), usersOf: () => users, revisionOf: () => 0 },
      sources: { get: () => ({ ...sourceRecord({ writtenAtMs: at(0) }), ...(sourceGates && { gates: sourceGates }) }) },
      namespaces: { of: () => namespaceGates },
      ...{
        owes: () => true,
        judgesLast: () => false,
        mayBegin: () => true,
        onTurn: () => undefined,
        onStopped: () => undefined,
      },
    });
    const [first, another] = users;
    expect(first && stages.ask(first, [app])).toBeUndefined();
    const answer = another && stages.ask(another, [app]);
    expect(answer === undefined ? 'begin' : 'wait').toBe(told);
  });
});
