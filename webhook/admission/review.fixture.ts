import { ContentDigester } from '../../shared/domain/sources/content-digest';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { captureObserver } from '../plugins/capture-observer';
import type { AdmissionPlugin } from './admission-plugins';
import type { InFlightLimits } from './in-flight';
import { WebhookMetrics, type ReviewPath } from '../metrics';
import { RecentChanges } from '../plugins/recent-changes';
import type { ReviewAnswer } from './review-exchange';
import { ReviewHandler } from './review-handler';

export const testDigester = new ContentDigester(Buffer.alloc(32, 1));

/** A review as an API server sends it: alice edits the Secret `shop/db`. */
export function review(request: Readonly<Record<string, unknown>> = {}) {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'review-1',
      kind: { group: '', version: 'v1', kind: 'Secret' },
      resource: { group: '', version: 'v1', resource: 'secrets' },
      name: 'db',
      namespace: 'shop',
      operation: 'UPDATE',
      userInfo: { username: 'alice', groups: ['dev', 'system:authenticated'] },
      object: secret({ password: 'new', user: 'app' }),
      oldObject: secret({ password: 'old', user: 'app' }),
      dryRun: false,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl-edit' },
      ...request,
    },
  };
}

export function secret(content: Readonly<Record<string, string>>, metadata: object = {}) {
  const data = Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db', namespace: 'shop', uid: 'uid-db', ...metadata },
    ...(Object.keys(content).length > 0 && { data }),
  };
}

export function configMap(fields: object) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'app', namespace: 'shop', uid: 'uid-app' },
    ...fields,
  };
}

export function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The value of one series, as exposed. */
export async function metric(metrics: WebhookMetrics, series: string): Promise<number> {
  const line = (await metrics.registry.text()).split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

/** A handler whose clock, records and answers the test can see. */
export function handlerWorld(limits?: InFlightLimits, plugins: readonly AdmissionPlugin[] = []) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const metrics = new WebhookMetrics();
  const sent: ChangeRecord[] = [];
  const recent = new RecentChanges(clock);
  const observers = [
    captureObserver({
      ...{ clock, metrics, recent, ownNamespace: 'reroll' },
      log: { admitted: () => undefined },
      ...{ digester: () => testDigester, send: (record) => sent.push(record) },
    }),
  ];
  const handler = new ReviewHandler({ clock, logger, metrics, observers, plugins, ...(limits && { limits }) });
  const begin = (timeoutMs?: number, path: ReviewPath = 'validate') => {
    const answers: ReviewAnswer[] = [];
    const exchange = handler.begin({ path, timeoutMs, answer: (answer) => answers.push(answer) });
    return { exchange, answers };
  };
  /** Makes a whole call. Returns the answer, if there was one. */
  const call = (body: Buffer): ReviewAnswer | undefined => {
    const { exchange, answers } = begin();
    exchange.push(body);
    exchange.end();
    return answers[0];
  };
  return { clock, logger, metrics, sent, handler, begin, call };
}
