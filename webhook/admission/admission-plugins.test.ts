import { describe, expect, it } from '@jest/globals';
import type { AdmissionPlugin, PluginAnswer } from './admission-plugins';
import type { ReviewPath } from '../metrics';
import { bytes, handlerWorld, metric, review } from './review.fixture';

const body = bytes(review());
const never = new Promise<PluginAnswer>(() => undefined);
const patch = [{ op: 'add', path: '/metadata/annotations/a', value: 'b' }] as const;

/** A plugin that wants every review by default. */
function plugin(answer: AdmissionPlugin['answer'], wants: AdmissionPlugin['wants'] = () => true): AdmissionPlugin {
  return { name: 'preview', wants, answer };
}

const says = (...warnings: readonly string[]): AdmissionPlugin => plugin(async () => ({ warnings }));

function unfinished() {
  const finishers: ((answer: PluginAnswer) => void)[] = [];
  const answer = new Promise<PluginAnswer>((resolve) => finishers.push(resolve));
  return { answer, finish: (reply: PluginAnswer): void => finishers.forEach((each) => each(reply)) };
}

function world(...plugins: readonly AdmissionPlugin[]) {
  const handled = handlerWorld(undefined, plugins);
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
  it('puts the warnings of all plugins into the answer, then runs the observers and keeps nothing', async () => {
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

  it('answers with the first denial and all warnings, and reports no change to the reconcilers', async () => {
    const denied = (message: string) => ({ denied: { message, reason: 'Invalid', code: 422 } as const });
    const { begin, clock, handler, sent } = world(
      says('a'),
      plugin(async () => ({ warnings: ['b'], ...denied('c') })),
      plugin(async () => denied('d')),
    );
    const { response } = begin();
    await clock.advance(1_000);
    const status = { status: 'Failure', message: 'c', reason: 'Invalid', code: 422 };
    expect(response()).toEqual([{ uid: 'review-1', allowed: false, warnings: ['a', 'b'], status }]);
    expect(sent).toEqual([]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('escapes control characters in a denial, and keeps it short', async () => {
    const message = `k\n\u001b[2J\u202e: ${'x'.repeat(10_000)}`;
    const { begin, clock } = world(plugin(async () => ({ denied: { message, reason: 'Invalid', code: 422 } })));
    const { response } = begin();
    await clock.advance(0);
    const [answer] = response() as { status: { message: string } }[];
    expect(answer!.status.message).toMatch(/^k\\n\\u001b\[2J\\u202e: x+…$/);
    expect(Buffer.byteLength(answer!.status.message)).toBeLessThanOrEqual(4_096);
  });

  it('keeps the warnings within the budget of an answer', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}`);
    const { begin, clock } = world(says(...many), says(...many.map((text) => `${text}!`)));
    const { response } = begin();
    await clock.advance(0);
    expect(response()).toEqual([{ ...allowed, warnings: [...many.slice(0, 9), 'and 51 more'] }]);
  });

  it('patches only for a mutating hook: an API server treats a patch from any other as an error', async () => {
    const { begin, clock } = world(
      plugin(async () => ({ patch })),
      says('a'),
    );
    const [mutate, validate] = [begin('mutate'), begin('validate')];
    await clock.advance(0);
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    expect(mutate.response()).toEqual([{ ...allowed, warnings: ['a'], patchType: 'JSONPatch', patch: encoded }]);
    expect(validate.response()).toEqual([{ ...allowed, warnings: ['a'] }]);
  });

  it('answers at once if no plugin wants the request', () => {
    const { begin } = world(
      plugin(
        async () => await never,
        () => false,
      ),
    );
    expect(begin().response()).toEqual([allowed]);
  });

  it('passes request and path to wants', () => {
    const asked: unknown[] = [];
    const { begin } = world(
      plugin(
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

  describe('allows the write if', () => {
    it('a plugin fails: the others still count', async () => {
      const failing = plugin(async () => await Promise.reject(new Error('no index')));
      const { begin, clock, failures, logger } = world(failing, says('a'));
      const { response } = begin();
      await clock.advance(0);
      expect(response()).toEqual([{ ...allowed, warnings: ['a'] }]);
      expect(await failures()).toBe(1);
      expect(JSON.stringify(logger.lines)).toContain('no index');
    });

    it('a plugin fails in wants', async () => {
      const { begin, failures } = world(
        plugin(
          async () => ({}),
          () => {
            throw new Error('broken');
          },
        ),
      );
      expect(begin().response()).toEqual([allowed]);
      expect(await failures()).toBe(1);
    });

    it('a plugin is late: the answer has what the others have added by the deadline', async () => {
      const { begin, clock, failures, handler, metrics, sent } = world(
        plugin(async () => await never),
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
      // The review was read, so it is not shed, and the observers run.
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="deadline"}')).toBe(0);
      await clock.advance(0);
      expect(sent).toHaveLength(1);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    });

    it('a plugin is done after the deadline: its answer is ignored', async () => {
      const { answer, finish } = unfinished();
      const { begin, clock } = world(plugin(async () => await answer));
      const { response } = begin();
      await clock.advance(500);
      finish({ warnings: ['late'] });
      await clock.advance(1_000);
      expect(response()).toEqual([allowed]);
    });

    it('the caller disconnects meanwhile: nothing is answered, and nothing is kept', async () => {
      const { answer, finish } = unfinished();
      const { begin, clock, handler, sent } = world(plugin(async () => await answer));
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
