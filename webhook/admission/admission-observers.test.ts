import { expect, it } from '@jest/globals';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { type AdmissionObserver, AdmissionObservers } from './admission-observers';
import { parseAdmissionReview } from './admission-review';
import { WebhookMetrics } from '../metrics';
import { bytes, metric, review } from './review.fixture';

function runWith(...observers: readonly AdmissionObserver[]) {
  const [logger, metrics] = [new RecordingLogger(), new WebhookMetrics()];
  const { request } = parseAdmissionReview(bytes(review({ uid: 'review-1' })))!;
  new AdmissionObservers({ logger, metrics, observers }).run(request!, 0);
  return { logger, metrics };
}

it('runs an observer only on the requests that it wants', () => {
  const done: string[] = [];
  runWith(
    { name: 'capture', wants: () => false, run: () => done.push('unwanted') },
    { name: 'capture', wants: ({ uid }) => uid === 'review-1', run: ({ uid }) => done.push(uid) },
  );
  expect(done).toEqual(['review-1']);
});

it('runs the next observer when one fails, and counts and logs the failure', async () => {
  const done: string[] = [];
  const fail = (): never => {
    throw new Error('a bug');
  };
  const { logger, metrics } = runWith(
    { name: 'capture', wants: fail, run: () => undefined },
    { name: 'capture', wants: () => true, run: fail },
    { name: 'capture', wants: () => true, run: ({ uid }) => done.push(uid) },
  );
  expect(done).toEqual(['review-1']);
  expect(await metric(metrics, 'reroll_webhook_duty_failures_total{duty="capture"}')).toBe(2);
  expect(logger.lines.map(({ fields }) => fields)).toEqual(Array(2).fill({ duty: 'capture', error: 'a bug' }));
});
