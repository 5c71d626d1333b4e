import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { maxBatchRecords } from '../../shared/domain/protocol/change-batch';
import { captureObserver } from '../plugins/capture-observer';
import { ChangeSender } from '../channel/change-sender';
import { WebhookMetrics } from '../metrics';
import { maxRecentSources, RecentChanges } from '../plugins/recent-changes';
import { maxQueued } from '../channel/replica-queue';
import { longForm } from '../../shared/runtime/long-form.fixture';
import type { ReviewAnswer, ReviewExchange } from './review-exchange';
import { ReviewHandler } from './review-handler';
import { bytes, configMap, metric, review, secret, testDigester } from './review.fixture';

const runs = longForm(100_000, 2_000);
/** Nothing here waits; the limit is for a slow machine. */
const timeoutMs = 240_000;

/**
 * In turns: `withRoom` reviews find room, then `withoutRoom` find none, because calls without a body take every place.
 */
const [withRoom, withoutRoom] = [1_000, 250];
const maxInFlight = 256;

/** Cheap to generate, and odd in every way that JSON can be. */
const oddity = fc.oneof(
  { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  {
    arbitrary: fc.constantFrom(null, true, false, 0, -1, 1e308, '', ' ', 'x', '..', '\u0000', 'é'.repeat(300), [], {}),
    weight: 5,
  },
  { arbitrary: fc.constantFrom([null], [[]], { a: { b: [1] } }, { name: 7 }, ['x', 'x'], { toString: 1 }), weight: 2 },
);
const content = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b.c', '..', '__proto__', 'toString'), fc.string({ maxLength: 6 }), {
    maxKeys: 3,
  }),
  oddity,
);
const name = fc.oneof(fc.constantFrom('db', 'app'), oddity);
const object = fc.oneof(
  oddity,
  fc.record(
    { metadata: fc.record({ name, uid: name, namespace: oddity, managedFields: oddity }, { requiredKeys: [] }) },
    { requiredKeys: [] },
  ),
  fc.tuple(name, content).map(([uid, data]) => ({ ...secret({}, { uid, name: uid }), data })),
  fc.tuple(content, content).map(([data, binaryData]) => configMap({ data, binaryData })),
);
/** Replacements for each part of a request. */
const parts = {
  uid: oddity,
  kind: fc.oneof(fc.constant({ group: '', version: 'v1', kind: 'ConfigMap' }), oddity),
  name,
  namespace: oddity,
  operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'CONNECT', 'PEEK'),
  userInfo: fc.oneof(
    fc.string().map((username) => ({ username })),
    oddity,
  ),
  object,
  oldObject: object,
  dryRun: oddity,
  options: oddity,
  subResource: oddity,
};
const request = fc.oneof(
  ...Object.entries(parts).map(([part, value]) => value.map((drawn) => ({ [part]: drawn }))),
  fc.tuple(object, object, oddity).map(([after, before, uid]) => ({ object: after, oldObject: before, uid })),
  fc.record(parts),
);
/** Realistic edits of more sources than are remembered. One in 32 concerns an object without a uid. */
const edit = fc
  .tuple(fc.nat({ max: 4 * maxRecentSources }), fc.constantFrom('red', 'blue', 'old'), fc.boolean())
  .map(([n, password, dryRun]) => {
    const metadata = { name: `source-${n}`, uid: n % 32 === 1 ? '' : `uid-${n}` };
    return {
      ...{ name: metadata.name, dryRun: dryRun && n % 8 === 0 },
      object: secret({ password }, metadata),
      oldObject: secret({ password: 'old' }, metadata),
    };
  });
const wholeReview = bytes(review());
const body = fc.oneof(
  { arbitrary: request.map((changed) => bytes(review(changed))), weight: 6 },
  { arbitrary: edit.map((changed) => bytes(review(changed))), weight: 3 },
  { arbitrary: fc.tuple(request, fc.nat()).map(([changed, n]) => truncated(bytes(review(changed)), n)), weight: 1 },
  { arbitrary: fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([n, byte]) => damaged(wholeReview, n, byte)), weight: 2 },
  { arbitrary: oddity.map(bytes), weight: 1 },
  { arbitrary: oddity.map((odd) => bytes({ ...review(), request: odd })), weight: 1 },
  { arbitrary: fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)), weight: 1 },
);

function truncated(whole: Buffer, at: number): Buffer {
  return whole.subarray(0, at % (whole.length + 1));
}

function damaged(whole: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(whole);
  copy[at % whole.length] = byte;
  return copy;
}

/** Every part of the webhook that keeps state, with two reconcilers of which one never answers. */
function world() {
  const clock = new FakeClock();
  const metrics = new WebhookMetrics();
  const random = { float: () => 0, bytes: (length: number) => Buffer.alloc(length) };
  const transport = {
    post: async (address: string) =>
      await (address === 'up:1' ? Promise.resolve({ status: 202 }) : new Promise<never>(() => undefined)),
  };
  const sender = new ChangeSender({ clock, random, logger: silentLogger, metrics, transport });
  sender.setReplicas(new Set(['up:1', 'hanging:1']));
  const recent = new RecentChanges(clock);
  const send = sender.send.bind(sender);
  const observers = [
    captureObserver({
      ...{ clock, metrics, recent, send, ownNamespace: 'reroll' },
      log: { admitted: () => undefined },
      digester: () => testDigester,
    }),
  ];
  const handler = new ReviewHandler({ clock, logger: silentLogger, metrics, observers });
  return { clock, metrics, sender, recent, handler };
}

/** The uid that the answer must echo; undefined if this is not a review. */
function uidOf(text: Buffer): string | undefined {
  let value: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly request?: { readonly uid?: unknown } };
  try {
    value = JSON.parse(text.toString()) as typeof value;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || (value as unknown) === null) return undefined;
  const uid = value.request?.uid;
  const isReview = value.apiVersion === 'admission.k8s.io/v1' && value.kind === 'AdmissionReview';
  return isReview && typeof uid === 'string' && uid !== '' && uid.length <= 128 ? uid : undefined;
}

/** Instead of `expect`, which is slower than the code under test. */
function mustBe(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

function mustAllow(answer: ReviewAnswer, uid: string | undefined): void {
  const { apiVersion, kind, response, ...rest } = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const { uid: echoed, ...outcome } = response as Record<string, unknown>;
  const isAnswer = apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview' && Object.keys(rest).length === 0;
  mustBe(isAnswer && JSON.stringify(outcome) === '{"allowed":true}', 'a well-formed answer that allows', answer.body);
  mustBe(typeof echoed === 'string' && (uid === undefined || uid === echoed), 'the uid is echoed', { uid, echoed });
}

it(
  `answers ${runs} bodies of any kind well, and keeps no more than it may`,
  async () => {
    const { clock, metrics, sender, recent, handler } = world();
    const statuses = { placed: new Set<number>(), shed: new Set<number>() };
    const most = { recent: 0, queued: 0 };
    let left = withRoom;
    let stalled: readonly ReviewExchange[] = [];

    /** Fails if a review or a timer is left. */
    const lookAround = async (): Promise<void> => {
      for (const exchange of stalled) exchange.abort();
      await clock.advance(1);
      most.recent = Math.max(most.recent, recent.size);
      most.queued = Math.max(most.queued, sender.queued);
      const { inFlight } = handler;
      mustBe(inFlight.requests === 0 && inFlight.bytes === 0, 'nothing is in flight', inFlight);
      // Each of the two queues may wait, and have a time limit.
      mustBe(clock.pendingTimers <= 4, 'no timer is left behind', clock.pendingTimers);
    };
    const takeTurns = async (): Promise<void> => {
      await lookAround();
      const isFull = stalled.length === 0;
      stalled = isFull
        ? Array.from({ length: maxInFlight }, () => handler.begin({ path: 'validate', answer: () => undefined }))
        : [];
      left = isFull ? withoutRoom : withRoom;
    };

    let untilFull = runs / 2;
    /** More sources than are remembered: the second half of the bodies finds the limits reached. */
    const fill = async (): Promise<void> => {
      for (const exchange of stalled) exchange.abort();
      stalled = [];
      for (let n = 0; n <= 1.25 * maxRecentSources; n++) {
        const [object, oldObject] = ['blue', 'old'].map((password) =>
          secret({ password }, { name: `source-${n}`, uid: `uid-${n}` }),
        );
        const exchange = handler.begin({ path: 'validate', answer: () => undefined });
        exchange.push(bytes(review({ name: `source-${n}`, object, oldObject })));
        exchange.end();
      }
      await lookAround();
    };

    await fc.assert(
      fc.asyncProperty(body, fc.nat({ max: 400 }), async (text, cut) => {
        const isPlaced = handler.inFlight.requests < maxInFlight;
        const answers: ReviewAnswer[] = [];
        const exchange = handler.begin({ path: 'validate', answer: (reply) => answers.push(reply) });
        exchange.push(text.subarray(0, cut));
        exchange.push(text.subarray(cut));
        exchange.end();
        const [answer] = answers;
        if (!answer || answers.length !== 1) throw new Error(`${answers.length} answers`);
        statuses[isPlaced ? 'placed' : 'shed'].add(answer.status);
        const uid = uidOf(text);
        if (answer.status === 200) mustAllow(answer, uid);
        else mustBe(answer.status === (isPlaced ? 400 : 503), 'refused for what it is', answer.status);
        if (isPlaced) mustBe((answer.status === 200) === (uid !== undefined), 'every review is allowed', answer.status);
        if (--left === 0) await takeTurns();
        if (--untilFull === 0) await fill();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    await lookAround();

    // Otherwise all inputs were nonsense, or no limit was reached.
    expect([...statuses.placed].sort()).toEqual([200, 400]);
    expect([...statuses.shed].sort()).toEqual([200, 503]);
    expect(most.recent).toBe(maxRecentSources);
    // In the queue of the replica that hangs, and in the batch being sent to it.
    expect(most.queued).toBeGreaterThan(maxQueued.records / 2);
    expect(most.queued).toBeLessThanOrEqual(2 * (maxQueued.records + maxBatchRecords));
    for (const result of ['sent', 'dropped', 'duplicate', 'no_change', 'dry_run']) {
      expect(await metric(metrics, `reroll_webhook_records_total{result="${result}"}`)).toBeGreaterThan(0);
    }
    const stopped = sender.stop();
    await clock.advance(10_000);
    await stopped;
    expect(sender.queued).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  },
  timeoutMs,
);
