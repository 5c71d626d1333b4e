import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HealthCheckSettings } from '../../shared/domain/gate-settings/health-check';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { GetError } from '../../shared/outbound/http-get';
import { failed, passed, type CheckAnswer } from './check-answer';
import { HealthChecker } from './health-checker';

const healthyUrl = { protocol: 'http', service: 'web', namespace: undefined, port: 80, path: '/' } as const;
const healthyQuery = { promQl: 'up' };
const both = { healthyUrl, healthyQuery };

type Answers = (signal: AbortSignal) => Promise<CheckAnswer>;

let clock: FakeClock;
let asked: string[];
let ofUrl: Answers;
let ofQuery: Answers;

beforeEach(() => {
  clock = new FakeClock();
  asked = [];
  ofUrl = ofQuery = async () => await Promise.resolve(passed);
});

const answering =
  (answer: CheckAnswer): Answers =>
  async () =>
    await Promise.resolve(answer);

async function ask(checks: HealthCheckSettings, signal = new AbortController().signal): Promise<CheckAnswer> {
  const checker = new HealthChecker({
    clock,
    service: {
      ask: async ({ service }, namespace, limit) => {
        asked.push(`${namespace}/${service}`);
        return await ofUrl(limit);
      },
    },
    prometheus: {
      ask: async ({ promQl }, limit) => {
        asked.push(promQl);
        return await ofQuery(limit);
      },
    },
  });
  return await checker.ask(checks, 'shop', signal);
}

describe('HealthChecker', () => {
  it('passes if both checks do, and asks no second one after one that does not', async () => {
    expect([await ask(both), asked]).toEqual([passed, ['shop/web', 'up']]);
    [asked, ofUrl] = [[], answering(failed('status 503'))];
    expect([await ask(both), asked]).toEqual([failed('reroll.dev/healthy-url: status 503'), ['shop/web']]);
    [ofUrl, ofQuery] = [answering(passed), answering(failed('the result is empty'))];
    expect(await ask(both)).toEqual(failed('reroll.dev/healthy-query: the result is empty'));
  });

  it.each<[HealthCheckSettings, readonly string[]]>([
    [{}, []],
    [{ healthyUrl }, ['shop/web']],
    [{ healthyQuery }, ['up']],
  ])('asks what is set: %j', async (checks, expected) => {
    expect([await ask(checks), asked]).toEqual([passed, expected]);
  });

  it('asks nothing that the install does not ask', async () => {
    const checker = new HealthChecker({ clock });
    expect(checker.asked).toEqual({ urls: false, queries: false });
    expect(await checker.ask(both, 'shop', new AbortController().signal)).toEqual(passed);
  });

  it.each<[HealthCheckSettings, string]>([
    [{ healthyUrl: 'unreadable', healthyQuery }, 'reroll.dev/healthy-url: cannot be read'],
    [{ healthyUrl, healthyQuery: 'unreadable' }, 'reroll.dev/healthy-query: cannot be read'],
  ])('does not pass what cannot be read: %j', async (checks, why) => {
    expect(await ask(checks)).toEqual({ result: 'unanswered', why });
  });

  it('does not pass what is not answered', async () => {
    ofUrl = async () => await Promise.reject(new GetError('no answer (ECONNREFUSED)'));
    expect(await ask(both)).toEqual({ result: 'unanswered', why: 'reroll.dev/healthy-url: no answer (ECONNREFUSED)' });
  });

  it('waits for five seconds, also for one that ignores its signal', async () => {
    let given: AbortSignal | undefined;
    ofUrl = async (signal) => await new Promise(() => void (given = signal));
    const answer = ask(both);
    await clock.advance(4_999);
    expect(given?.aborted).toBe(false);
    await clock.advance(1);
    expect(given?.aborted).toBe(true);
    expect(await answer).toEqual({ result: 'unanswered', why: 'reroll.dev/healthy-url: no answer within 5s' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the term', async () => {
    const term = new AbortController();
    ofUrl = async () => await new Promise(() => undefined);
    const answer = ask(both, term.signal);
    await clock.settle();
    term.abort();
    expect(await answer).toMatchObject({ result: 'unanswered' });
    expect(clock.pendingTimers).toBe(0);
  });
});
