import { describe, expect, it } from '@jest/globals';
import type { AdmissionPlugin } from './admission-plugins';
import { bytes, handlerWorld, metric, review, secret } from './review.fixture';
import { maxRecordBytes } from '../channel/replica-queue';
import { maxBodyBytes, maxReviewValues } from './review-exchange';

const body = bytes(review());
const allowed = { uid: 'review-1', allowed: true };

function responseIn(answer: { readonly body: Buffer } | undefined): unknown {
  return (JSON.parse(answer?.body.toString() ?? '{}') as { readonly response?: unknown }).response;
}

describe('ReviewHandler', () => {
  it('answers before it runs the observers', () => {
    const { handler, sent } = handlerWorld();
    const sentBefore: number[] = [];
    const exchange = handler.begin({
      path: 'validate',
      answer: (answer) => {
        sentBefore.push(sent.length);
        expect(responseIn(answer)).toEqual(allowed);
      },
    });
    exchange.push(body);
    exchange.end();
    expect(sentBefore).toEqual([0]);
    expect(sent).toMatchObject([{ id: 'review-1', user: 'alice' }]);
  });

  it('accepts a body in several chunks', () => {
    const { begin, sent } = handlerWorld();
    const { exchange, answers } = begin();
    for (const byte of body) exchange.push(Buffer.from([byte]));
    expect(answers).toEqual([]);
    exchange.end();
    expect(answers).toMatchObject([{ status: 200, early: false }]);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['garbage', Buffer.from('GET / HTTP/1.1')],
    ['JSON that is not a review', bytes({ kind: 'AdmissionReview' })],
  ])('refuses %s', (_what, garbage) => {
    const { call, handler } = handlerWorld();
    expect(call(garbage)).toMatchObject({ status: 400, early: false });
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('allows a review of which only the uid is valid', async () => {
    const { call, clock, handler, sent } = handlerWorld();
    expect(responseIn(call(bytes(review({ operation: 'PEEK' }))))).toEqual(allowed);
    await clock.advance(0);
    expect(sent).toEqual([]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('allows a review on which an observer fails, and counts the failure', async () => {
    const { call, metrics, handler, logger } = handlerWorld();
    const forged = review({ object: { ...secret({}), data: { password: 17 } } });
    expect(responseIn(call(bytes(forged)))).toEqual(allowed);
    expect(await metric(metrics, 'reroll_webhook_duty_failures_total{duty="capture"}')).toBe(1);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    expect(JSON.stringify(logger.lines)).not.toContain('17');
  });

  it('refuses a body of more than 7 MiB, and keeps none of it', () => {
    const { begin, handler } = handlerWorld();
    const { exchange, answers } = begin();
    exchange.push(Buffer.alloc(maxBodyBytes));
    expect(answers).toEqual([]);
    exchange.push(Buffer.alloc(1));
    exchange.push(Buffer.alloc(1));
    exchange.end();
    expect(answers).toMatchObject([{ status: 413, early: true }]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('accepts a body of exactly 7 MiB', () => {
    const { call } = handlerWorld();
    const empty = bytes(review({ filler: '' })).length;
    expect(call(bytes(review({ filler: 'x'.repeat(maxBodyBytes - empty) })))?.status).toBe(200);
  });

  it('uses the largest objects that an API server stores: 3 MiB before and after', () => {
    const { call, sent, handler } = handlerWorld();
    // In base64 and thousands of keys: almost as much as the server accepts in one request.
    const keys = Array.from({ length: 2_000 }, (_, index) => `key-${String(index).padStart(4, '0')}`);
    const value = 'x'.repeat(1_140);
    const object = secret(Object.fromEntries(keys.map((key) => [key, value])));
    const oldObject = secret(Object.fromEntries(keys.map((key) => [key, `${value.slice(1)}y`])));
    const body = bytes(review({ object, oldObject }));
    expect(bytes(object).length).toBeGreaterThan(2.9 * 1024 * 1024);
    expect(call(body)?.status).toBe(200);
    expect(sent).toMatchObject([{ kind: 'Secret', name: 'db', user: 'alice', uid: 'uid-db' }]);
    expect(sent[0]?.changed.changed).toEqual(keys.slice(0, 100));
    expect(JSON.stringify(sent).length).toBeLessThan(maxRecordBytes);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  describe('when the body is slow', () => {
    it.each([
      ['its own deadline', undefined, 500],
      ['half of the time that the API server waits', 600, 300],
      ['its own deadline, if the API server waits longer', 30_000, 500],
    ])('allows at %s, unread', async (_what, timeoutMs, deadlineMs) => {
      const { begin, clock, metrics, sent, handler } = handlerWorld();
      const { exchange, answers } = begin(timeoutMs);
      exchange.push(body.subarray(0, 200));
      await clock.advance(deadlineMs - 1);
      expect(answers).toEqual([]);
      await clock.advance(1);
      expect(responseIn(answers[0])).toEqual(allowed);
      expect(answers[0]?.early).toBe(true);
      exchange.push(body.subarray(200));
      exchange.end();
      await clock.advance(1_000);
      expect(answers).toHaveLength(1);
      expect(sent).toEqual([]);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="deadline"}')).toBe(1);
    });

    it('answers 408 if not even the uid has arrived', async () => {
      const { begin, clock } = handlerWorld();
      const { answers } = begin();
      await clock.advance(500);
      expect(answers).toMatchObject([{ status: 408, early: true }]);
    });

    it('leaves no timer behind', () => {
      const { call, begin, clock } = handlerWorld();
      call(bytes({}));
      begin().exchange.abort();
      expect(clock.pendingTimers).toBe(0);
    });
  });

  describe('under too much load', () => {
    it('allows reviews unread beyond the number in flight, and reads again when there is room', async () => {
      const { begin, call, clock, metrics, sent, handler } = handlerWorld({ requests: 2, bytes: 1e6 });
      const first = begin();
      begin();
      expect(responseIn(call(body))).toEqual(allowed);
      await clock.advance(0);
      expect(sent).toEqual([]);
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="requests"}')).toBe(1);
      expect(handler.inFlight.requests).toBe(2);
      first.exchange.abort();
      call(body);
      expect(sent).toHaveLength(1);
    });

    it('allows reviews unread beyond the bytes in flight, and keeps none of their bytes', async () => {
      const { begin, call, metrics, handler } = handlerWorld({ requests: 100, bytes: 10_000 });
      const large = bytes(review({ object: secret({ password: 'x'.repeat(9_000) }) }));
      const { exchange, answers } = begin();
      exchange.push(large.subarray(0, 9_000));
      exchange.push(large.subarray(9_000));
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
      exchange.end();
      expect(responseIn(answers[0])).toEqual(allowed);
      expect(responseIn(call(large))).toEqual(allowed);
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="bytes"}')).toBe(2);
    });

    it('allows a review that would take seconds to parse, however small, without parsing any of it', async () => {
      const { call, metrics, handler, sent } = handlerWorld();
      const full = (values: number): Buffer => bytes(review({ filler: Array.from({ length: values }, () => 0) }));
      expect(responseIn(call(full(maxReviewValues + 1)))).toEqual(allowed);
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="values"}')).toBe(1);
      // If it were parsed, it would be rejected with 400.
      const torn = Buffer.from(`${bytes(review()).toString().slice(0, -2)},"junk":[${'{},'.repeat(2_300_000)}`);
      expect(responseIn(call(torn))).toEqual(allowed);
      expect(sent).toEqual([]);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
      call(full(maxReviewValues - 100));
      expect(sent).toHaveLength(1);
    });

    it('counts the memory of parsed values for as long as the review is in flight', async () => {
      const never: AdmissionPlugin = {
        name: 'preview',
        wants: () => true,
        answer: async () => await new Promise(() => undefined),
      };
      const { begin, call, clock, metrics, handler } = handlerWorld({ requests: 9, bytes: 1_000_000 }, [never]);
      const many = bytes(review({ filler: Array.from({ length: 8_000 }, () => 0) }));
      const { exchange, answers } = begin();
      exchange.push(many);
      exchange.end();
      expect(handler.inFlight.bytes).toBeGreaterThan(8_000 * 64);
      expect(responseIn(call(many))).toEqual(allowed);
      expect(await metric(metrics, 'reroll_webhook_shed_total{reason="bytes"}')).toBe(1);
      await clock.advance(500);
      expect(answers).toHaveLength(1);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    });

    it('answers 503 without a uid in the first bytes', () => {
      const { call } = handlerWorld({ requests: 0, bytes: 0 });
      const late = bytes({ filler: 'x'.repeat(2_000), ...review() });
      expect(call(late)).toMatchObject({ status: 503 });
    });

    it('keeps nothing after the answer', () => {
      const { call, sent, handler } = handlerWorld({ requests: 1, bytes: 10_000 });
      for (let index = 0; index < 50; index++) {
        call(bytes(review({ name: `db-${index}`, object: secret({ a: 'b' }, { name: `db-${index}` }) })));
        expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
      }
      expect(sent).toHaveLength(50);
    });
  });

  it('counts answers by path and code, and exposes what is in flight', async () => {
    const { begin, call, metrics } = handlerWorld();
    call(bytes({}));
    begin().exchange.push(Buffer.alloc(100));
    expect(await metric(metrics, 'reroll_webhook_requests_total{path="validate",code="400"}')).toBe(1);
    expect(await metric(metrics, 'reroll_webhook_in_flight')).toBe(1);
    expect(await metric(metrics, 'reroll_webhook_bytes_in_flight')).toBe(100);
    expect(await metric(metrics, 'reroll_webhook_review_duration_seconds_count')).toBe(1);
  });
});
