import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { failed, passed, type CheckAnswer } from '../health-checks/check-answer';
import { paced } from './gates.fixture';
import { HealthChecks } from './health-checks';

const wrong = failed('reroll.dev/healthy-query: the result is empty');

interface Question {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly answer: (answer: CheckAnswer) => Promise<void>;
}

let clock: FakeClock;
let questions: Question[];
let counted: string[];
let changed: number;
let checks: HealthChecks;

beforeEach(() => {
  clock = new FakeClock();
  [questions, counted, changed] = [[], [], 0];
  checks = new HealthChecks({
    clock,
    checker: {
      asked: { urls: false, queries: true },
      ask: async ({ healthyQuery }, namespace, signal) =>
        await new Promise((resolve) => {
          const answer = async (given: CheckAnswer): Promise<void> => {
            resolve(given);
            await clock.settle();
          };
          const what = typeof healthyQuery === 'object' ? healthyQuery.promQl : '';
          questions.push({ what: `${namespace}/${what}`, signal, answer });
        }),
    },
    onAnswer: (result) => void counted.push(result),
    onChange: () => {
      changed++;
    },
  });
});

function workload(name: string, { namespace = 'shop', restart = '1' } = {}): TrackedWorkload {
  const lastRestart = { id: restart, atMs: 0 };
  return paced({ name, namespace, gates: { healthyQuery: { promQl: name } }, lastRestart });
}

function many(namespace: string, count: number): readonly TrackedWorkload[] {
  return Array.from({ length: count }, (_, n) => workload(`${namespace}-${n}`, { namespace }));
}

const web = workload('web');

async function answered(answer: CheckAnswer): Promise<void> {
  checks.round([web]);
  await questions.at(-1)?.answer(answer);
}

describe('HealthChecks', () => {
  it('knows nothing of a workload without checks, and names those that the install does not ask', () => {
    expect(checks.verdict(paced({ name: 'a' }))).toEqual({ is: 'none' });
    expect(checks.verdict(paced({ name: 'a', gates: { healthyUrl: 'unreadable' } }))).toEqual({
      ...{ is: 'none', check: 'reroll.dev/healthy-url is not asked without --healthy-urls' },
    });
    expect(checks.verdict(web)).toEqual({ is: 'pending' });
  });

  it('knows since when a check passes without a break, and says only what is new', async () => {
    await answered(passed);
    await clock.advance(5_000);
    await answered(passed);
    expect([checks.verdict(web), changed]).toEqual([{ is: 'passes', sinceMs: 0 }, 1]);
    await answered(wrong);
    await answered(wrong);
    expect([checks.verdict(web), changed]).toEqual([{ is: 'fails', check: wrong.why }, 2]);
    await answered(failed('another'));
    expect(changed).toBe(3);
    await clock.advance(5_000);
    await answered(passed);
    expect([checks.verdict(web), changed]).toEqual([{ is: 'passes', sinceMs: 10_000 }, 4]);
    expect(counted).toEqual(['passed', 'passed', 'failed', 'failed', 'failed', 'passed']);
  });

  it('takes the answer about one restart for that alone', async () => {
    await answered(passed);
    expect(checks.verdict(workload('web', { restart: '2' }))).toEqual({ is: 'pending' });
  });

  it('takes the answer to one check for that alone, also if it comes when there is another', async () => {
    const corrected = { ...web, record: { ...web.record, gates: { healthyQuery: { promQl: 'another' } } } };
    checks.round([web]);
    checks.round([corrected]);
    await questions[0]?.answer(passed);
    expect([checks.verdict(web).is, checks.verdict(corrected).is]).toEqual(['passes', 'pending']);
    await clock.advance(5_000);
    checks.round([corrected]);
    await questions[1]?.answer(passed);
    expect(checks.verdict(corrected)).toEqual({ is: 'passes', sinceMs: 5_000 });
  });

  it('believes no answer of a long time ago', async () => {
    await answered(passed);
    await clock.advance(60_001);
    expect(checks.verdict(web)).toEqual({ is: 'pending' });
    await answered(passed);
    expect(checks.verdict(web)).toEqual({ is: 'passes', sinceMs: 60_001 });
    await answered(wrong);
    await clock.advance(60_001);
    expect(checks.verdict(web)).toEqual({ is: 'pending' });
  });

  it('believes the last answer of one that waits for its turn among many, however long that takes', async () => {
    const all = many('shop', 60);
    let asked = 0;
    for (let seconds = 0; seconds < 300; seconds += 5) {
      checks.round(all);
      const underWay = questions.slice(asked);
      asked = questions.length;
      await clock.advance(5_000);
      for (const question of underWay) await question.answer(passed);
    }
    // Three every five seconds: each is asked every hundred seconds.
    expect(asked).toBeLessThan(4 * all.length);
    expect(all.map((each) => checks.verdict(each).is)).toEqual(all.map(() => 'passes'));
    const since = all.map((each) => checks.verdict(each)).flatMap((each) => (each.is === 'passes' ? each.sinceMs : []));
    expect(Math.max(...since)).toBeLessThanOrEqual(105_000);
    await clock.advance(1_000);
    checks.round([]);
    expect(all.map((each) => checks.verdict(each).is)).toEqual(all.map(() => 'pending'));
  });

  it('has a round every five seconds', async () => {
    expect(checks.dueMs).toBe(-Infinity);
    await clock.advance(1_000);
    checks.round([web]);
    expect(checks.dueMs).toBe(6_000);
  });

  it('asks a workload once at a time, and forgets one for which nobody waits', async () => {
    checks.round([web]);
    checks.round([web]);
    expect(questions).toHaveLength(1);
    await questions[0]?.answer(passed);
    checks.round([]);
    expect(checks.verdict(web)).toEqual({ is: 'pending' });
  });

  it('asks ten at once, three of one namespace, and the next when one has answered', async () => {
    checks.round([...many('a', 5), ...many('b', 5), ...many('c', 5), ...many('d', 5)]);
    const asked = (): readonly string[] => questions.map(({ what }) => what.slice(2));
    expect(asked()).toEqual(['a-0', 'b-0', 'c-0', 'd-0', 'a-1', 'b-1', 'c-1', 'd-1', 'a-2', 'b-2']);
    await questions[0]?.answer(passed);
    expect(asked().slice(10)).toEqual(['c-2']);
    await questions[1]?.answer(passed);
    expect(asked().slice(11)).toEqual(['d-2']);
    await questions[2]?.answer(passed);
    expect(asked().slice(12)).toEqual(['a-3']);
  });

  it('gives a free place to the namespace that was asked longest ago, however many wait in the others', async () => {
    const slow = ['a', 'b', 'c', 'd'].flatMap((namespace) => many(namespace, 500));
    checks.round(slow);
    checks.round([...slow, web]);
    await questions[0]?.answer(wrong);
    expect(questions.at(-1)?.what).toBe('shop/web');
  });

  it('asks those of one namespace in their turn while others do not answer', async () => {
    const slow = many('slow', 200);
    checks.round([...slow, workload('web', { namespace: 'z' })]);
    expect(questions.map(({ what }) => what)).toContain('z/web');
    for (let round = 0; round < 3; round++) {
      for (const { answer } of questions.splice(0)) await answer(wrong);
      checks.round(slow);
    }
    expect(questions.map(({ what }) => what)).not.toContain('slow/slow-0');
  });

  it('asks anew in the next term, and leaves the questions of the last one', async () => {
    checks.round([web]);
    const [question] = questions;
    checks.clear();
    expect(question?.signal.aborted).toBe(true);
    checks.round([web]);
    expect(questions).toHaveLength(2);
    await question?.answer(passed);
    expect([checks.verdict(web), counted, changed]).toEqual([{ is: 'pending' }, [], 0]);
    await questions[1]?.answer(passed);
    expect(checks.verdict(web)).toMatchObject({ is: 'passes' });
  });
});
