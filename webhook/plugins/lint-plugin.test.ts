import { describe, expect, it } from '@jest/globals';
import { written, type Applied } from '../../shared/domain/lint/lint.fixture';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { lintPlugin } from './lint-plugin';
import { bytes, review } from '../admission/review.fixture';

const auto = 'reloader.stakater.com/auto';
const asks: Applied = { metadata: { [auto]: 'yes' } };
const certain = { message: 'yes is no boolean', provisional: false };
const missing = { message: 'app matches nothing now', provisional: true };

function requestOf(applied: Applied, changed: Readonly<Record<string, unknown>> = {}): AdmissionRequest {
  const { group, kind, object } = written(applied);
  const request = { kind: { group, version: 'v1', kind }, operation: 'CREATE', object, oldObject: null };
  return parseAdmissionReview(bytes(review({ ...request, ...changed })))!.request!;
}

const says = (...findings: readonly unknown[]) => ({ v: 1, findings });

interface Asked {
  readonly path: string;
  readonly question: WorkloadQuestion;
  readonly atMs: number;
  readonly timeoutMs: number;
}

/** A leader that gives these answers one after another, and then repeats the last one. */
function world(...answers: readonly unknown[]) {
  const clock = new FakeClock();
  const questions: Asked[] = [];
  const reconcilers = {
    query: async (path: string, question: object, timeoutMs: number) => {
      questions.push({ path, question: question as WorkloadQuestion, atMs: clock.monotonicMs(), timeoutMs });
      return await Promise.resolve(answers[Math.min(questions.length, answers.length) - 1]);
    },
  };
  const plugin = lintPlugin({ clock, reconcilers });
  const answered = async (request: AdmissionRequest) => {
    const answer = plugin.answer(request);
    await clock.advance(1_000);
    return await answer;
  };
  return { clock, plugin, questions, answered };
}

describe('lintPlugin', () => {
  it('warns about the findings of the leader', async () => {
    const { answered, questions } = world(says(certain));
    expect(await answered(requestOf(asks))).toEqual({ warnings: [certain.message] });
    expect(questions).toHaveLength(1);
    const { path, question } = questions[0]!;
    expect(path).toBe('/v1/lint');
    expect(question).toMatchObject({ v: 1, group: 'apps', kind: 'Deployment', namespace: 'shop' });
  });

  it('warns in a dry run', async () => {
    const { answered, plugin } = world(says(certain));
    const request = requestOf(asks, { dryRun: true });
    expect(plugin.wants(request, 'validate')).toBe(true);
    expect(await answered(request)).toEqual({ warnings: [certain.message] });
  });

  it('queries again for a provisional finding, whose object may have been stored a moment ago', async () => {
    const { answered, questions } = world(says(certain, missing), says(certain));
    expect(await answered(requestOf(asks))).toEqual({ warnings: [certain.message] });
    expect(questions.map(({ atMs }) => atMs - questions[0]!.atMs)).toEqual([0, 150]);
    expect(questions[1]!.question).toEqual(questions[0]!.question);
    // The review ends after 500 ms: later, certain findings would be lost too.
    expect(150 + questions.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0)).toBeLessThan(500);
  });

  it("warns if it is still missing then, in the leader's order", async () => {
    const { answered } = world(says(missing, certain));
    expect(await answered(requestOf(asks))).toEqual({ warnings: [missing.message, certain.message] });
  });

  it('does not warn about a provisional finding if the second query fails', async () => {
    const { answered } = world(says(missing, certain), undefined);
    expect(await answered(requestOf(asks))).toEqual({ warnings: [certain.message] });
  });

  it.each<[string, unknown]>([
    ['no answer', undefined],
    ['an answer of another version', { v: 2, findings: [certain] }],
    ['an answer to something else', { v: 1, restarts: [] }],
    ['an invalid answer', 'no'],
    ['findings that are not a list', says('no')],
    ['findings of another shape', says({ message: 1, provisional: false })],
  ])('warns of nothing upon %s', async (_what, answer) => {
    const { answered, questions } = world(answer);
    expect(await answered(requestOf(asks))).toEqual({});
    expect(questions).toHaveLength(1);
  });

  it('sends no query for a workload without annotations that look like ours', async () => {
    const { answered, questions } = world(says(certain));
    expect(await answered(requestOf({ metadata: { 'helm.sh/chart': 'web-1' } }))).toEqual({});
    expect(questions).toEqual([]);
  });

  it('does not repeat the warning when the workload is scaled', async () => {
    const { answered, questions } = world(says(certain));
    const oldObject = written({ ...asks, spec: { replicas: 1 } }).object;
    const update = { operation: 'UPDATE', oldObject };
    expect(await answered(requestOf({ ...asks, spec: { replicas: 2 } }, update))).toEqual({});
    expect(questions).toEqual([]);
    const changed = requestOf(asks, { ...update, oldObject: written({}).object });
    expect(await answered(changed)).toEqual({ warnings: [certain.message] });
  });

  it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ['a creation', {}, true],
    ['an update', { operation: 'UPDATE' }, true],
    ['a deletion', { operation: 'DELETE' }, false],
    ['a scale', { operation: 'UPDATE', subResource: 'scale' }, false],
    ['a status', { operation: 'UPDATE', subResource: 'status' }, false],
    ['a kind that is not restarted', { kind: { group: 'apps', version: 'v1', kind: 'ReplicaSet' } }, true],
    ['a ConfigMap', { kind: { group: '', version: 'v1', kind: 'ConfigMap' } }, false],
    ['a Secret', { kind: { group: '', version: 'v1', kind: 'Secret' } }, false],
    ['a controller', { userInfo: { username: 'system:serviceaccount:kube-system:job-controller' } }, false],
    [
      'one with lint switched off',
      { object: written({ metadata: { [auto]: 'yes', 'reroll.dev/lint': 'off' } }).object },
      false,
    ],
    [
      'one with lint switched on',
      { object: written({ metadata: { [auto]: 'yes', 'reroll.dev/lint': 'on' } }).object },
      true,
    ],
  ])('wants %s: %#', (_title, changed, expected) => {
    const { plugin } = world();
    for (const path of ['validate', 'mutate'] as const)
      expect(plugin.wants(requestOf(asks, changed), path)).toBe(expected);
  });
});
