import { describe, expect, it } from '@jest/globals';
import type { AdmissionPlugin, PluginAnswer } from './admission-plugin';
import type { ReviewPath } from '../metrics';
import { bytes, handlerWorld, metric, review } from './review.fixture';

const body = bytes(review());
const never = new Promise<PluginAnswer>(() => undefined);
const patch = [{ op: 'add', path: '/metadata/annotations/a', value: 'b' }] as const;

/** A duty that wants every review. */
function duty(answer: AdmissionPlugin['answer'], wants: AdmissionPlugin['wants'] = () => true): AdmissionPlugin {
  return { name: 'preview', wants, answer };
}

const says = (...warnings: readonly string[]): AdmissionPlugin => duty(async () => ({ warnings }));

function unfinished() {
  const finishers: ((answer: PluginAnswer) => void)[] = [];
  const answer = new Promise<PluginAnswer>((resolve) => finishers.push(resolve));
  return { answer, finish: (given: PluginAnswer): void => finishers.forEach((each) => each(given)) };
}

function world(...duties: readonly AdmissionPlugin[]) {
  const handled = handlerWorld(undefined, duties);
  const begin = (path?: ReviewPath) => {
    const { exchange, answers } = handled.begin(undefined, path);
    exchange.push(body);
    exchange.end();
    const response = (): unknown =>
      answers.map(({ body: json }) => (JSON.parse(json.toString()) as { readonly response: unknown }).response);
    return { exchange, answers, response };
  };
  const failures = async () => await metric(handled.metrics, 'reroll_webhook_duty_failures_total{duty="preview"}');
  return { ...handled, begin, failures };
}

const allowed = { uid: 'review-1', allowed: true };

describe('AdmissionPlugins', () => {
  it('puts the warnings of all duties into the answer, and then has done what there is to do', async () => {
    const { begin, clock, handler, sent } = world(says('a', 'b'), says(), says('c', 'a'));
    const { answers, response } = begin();
    expect(answers).toEqual([]);
    await clock.advance(0);
    expect(response()).toEqual([{ ...allowed, warnings: ['a', 'b', 'c'] }]);
    expect(answers).toMatchObject([{ status: 200, early: false }]);
    expect(sent).toMatchObject([{ user: 'alice' }]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells the first refusal, with all warnings, and nobody of a change that is none', async () => {
    const denied = (message: string) => ({ denied: { message, reason: 'Invalid', code: 422 } as const });
    const { begin, clock, handler, sent } = world(
      says('a'),
      duty(async () => ({ warnings: ['b'], ...denied('c') })),
      duty(async () => denied('d')),
    );
    const { response } = begin();
    await clock.advance(1_000);
    const status = { status: 'Failure', message: 'c', reason: 'Invalid', code: 422 };
    expect(response()).toEqual([{ uid: 'review-1', allowed: false, warnings: ['a', 'b'], status }]);
    expect(sent).toEqual([]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('lets no name in a refusal forge a line, drive a terminal or hide, and keeps it short', async () => {
    const message = `k\n\u001b[2J\u202e: ${'x'.repeat(10_000)}`;
    const { begin, clock } = world(duty(async () => ({ denied: { message, reason: 'Invalid', code: 422 } })));
    const { response } = begin();
    await clock.advance(0);
    const [answer] = response() as { status: { message: string } }[];
    expect(answer!.status.message).toMatch(/^k\\n\\u001b\[2J\\u202e: x+…$/);
    expect(Buffer.byteLength(answer!.status.message)).toBeLessThanOrEqual(4_096);
  });

  it('keeps within the budget of an answer', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}`);
    const { begin, clock } = world(says(...many), says(...many.map((text) => `${text}!`)));
    const { response } = begin();
    await clock.advance(0);
    expect(response()).toEqual([{ ...allowed, warnings: [...many.slice(0, 9), 'and 51 more'] }]);
  });

  it('patches where a mutating hook asks, and nowhere else: an API server takes that for an error', async () => {
    const { begin, clock } = world(
      duty(async () => ({ patch })),
      says('a'),
    );
    const [mutate, validate] = [begin('mutate'), begin('validate')];
    await clock.advance(0);
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    expect(mutate.response()).toEqual([{ ...allowed, warnings: ['a'], patchType: 'JSONPatch', patch: encoded }]);
    expect(validate.response()).toEqual([{ ...allowed, warnings: ['a'] }]);
  });

  it('answers at once where there is nothing to add', () => {
    const { begin } = world(
      duty(
        async () => await never,
        () => false,
      ),
    );
    expect(begin().response()).toEqual([allowed]);
  });

  it('asks by request and path', () => {
    const asked: unknown[] = [];
    const { begin } = world(
      duty(
        async () => ({}),
        ({ uid }, path) => {
          asked.push([uid, path]);
          return false;
        },
      ),
    );
    begin('mutate');
    expect(asked).toEqual([['review-1', 'mutate']]);
  });

  describe('allows, whatever happens', () => {
    it('a duty fails: the others are heard', async () => {
      const failing = duty(async () => await Promise.reject(new Error('no index')));
      const { begin, clock, failures, logger } = world(failing, says('a'));
      const { response } = begin();
      await clock.advance(0);
      expect(response()).toEqual([{ ...allowed, warnings: ['a'] }]);
      expect(await failures()).toBe(1);
      expect(JSON.stringify(logger.lines)).toContain('no index');
    });

    it('a duty fails before it is asked', async () => {
      const { begin, failures } = world(
        duty(
          async () => ({}),
          () => {
            throw new Error('broken');
          },
        ),
      );
      expect(begin().response()).toEqual([allowed]);
      expect(await failures()).toBe(1);
    });

    it('a duty is late: what the others have said by the deadline is the answer', async () => {
      const { begin, clock, failures, handler, metrics, sent } = world(
        duty(async () => await never),
        says('a'),
      );
      const { answers, response } = begin();
      await clock.advance(499);
      expect(answers).toEqual([]);
      expect(handler.inFlight.requests).toBe(1);
      await clock.advance(1);
      expect(response()).toEqual([{ ...allowed, warnings: ['a'] }]);
      expect(answers).toMatchObject([{ early: false }]);
      expect(await failures()).toBe(1);
      // It was read: nothing was shed, and it is used.
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="deadline"}')).toBe(0);
      await clock.advance(0);
      expect(sent).toHaveLength(1);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    });

    it('a duty is done after the deadline: nobody hears of it', async () => {
      const { answer, finish } = unfinished();
      const { begin, clock } = world(duty(async () => await answer));
      const { response } = begin();
      await clock.advance(500);
      finish({ warnings: ['late'] });
      await clock.advance(1_000);
      expect(response()).toEqual([allowed]);
    });

    it('the caller goes away meanwhile: nothing is answered, and nothing held', async () => {
      const { answer, finish } = unfinished();
      const { begin, clock, handler, sent } = world(duty(async () => await answer));
      const { answers, exchange } = begin();
      exchange.abort();
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
      finish({ warnings: ['a'] });
      await clock.advance(1_000);
      expect([answers, sent]).toEqual([[], []]);
      expect(clock.pendingTimers).toBe(0);
    });
  });
});
