import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytes, handlerWorld, review } from './review.fixture';

/** Raise it for a longer look: 100,000 take about a minute. */
const runs = 20_000;

const json = fc.jsonValue({ maxDepth: 3 });
const word = fc.string({ maxLength: 12 });
const metadata = fc.record(
  { name: fc.oneof(word, json), namespace: word, uid: word, managedFields: json },
  { requiredKeys: [] },
);
const object = fc.oneof(
  json,
  fc.record({ metadata, data: fc.oneof(json, fc.dictionary(word, word)), binaryData: json }, { requiredKeys: [] }),
);
const request = fc.record(
  {
    uid: fc.oneof(word, json),
    kind: fc.constantFrom(
      { group: '', version: 'v1', kind: 'Secret' },
      { group: '', version: 'v1', kind: 'ConfigMap' },
      'Secret',
    ),
    name: fc.oneof(word, json),
    namespace: fc.oneof(word, json),
    operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'PEEK'),
    userInfo: fc.oneof(json, fc.record({ username: word, groups: fc.array(word) }, { requiredKeys: [] })),
    object,
    oldObject: object,
    dryRun: fc.oneof(fc.boolean(), json),
    options: json,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  json.map(bytes),
  request.map((changed) => bytes(review(changed as Record<string, unknown>))),
  request.map((changed) => bytes(review({ uid: 'u', ...(changed as Record<string, unknown>) })).subarray(0, 400)),
);

it(`answers ${runs} bodies of any kind well, and holds nothing afterwards`, async () => {
  const { begin, clock, handler, sent } = handlerWorld();
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, fc.nat({ max: 300 }), async (bytesOfBody, cut) => {
      const { exchange, answers } = begin();
      exchange.push(bytesOfBody.subarray(0, cut));
      exchange.push(bytesOfBody.subarray(cut));
      exchange.end();
      expect(answers).toHaveLength(1);
      const [answer] = answers;
      statuses.add(answer!.status);
      if (answer!.status === 200) {
        const { uid } = (JSON.parse(bytesOfBody.toString()) as { readonly request: { readonly uid: string } }).request;
        expect(JSON.parse(answer!.body.toString())).toEqual({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid, allowed: true },
        });
      } else expect(answer!.status).toBe(400);
      // Not after each: what piles up must be seen to be taken down again.
      if (handler.inFlight.requests >= 64) await clock.advance(0);
    }),
    { numRuns: runs },
  );
  await clock.advance(0);
  expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  expect(clock.pendingTimers).toBe(0);
  // Otherwise nothing was tried but nonsense.
  expect([...statuses].sort()).toEqual([200, 400]);
  expect(sent.length).toBeGreaterThan(0);
}, 120_000);
