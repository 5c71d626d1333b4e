import { Controllers } from '../apiserver/controllers/controllers';
import { historyPageSchema, type HistoryEntry, type HistoryPage } from '../../shared/domain/protocol/history';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { isHistoryName } from '../../shared/domain/protocol/history';
import { Harness, handoverLease, type Engine } from './harness';
import { asked } from './inspection.fixture';
import { app, web } from './situations.fixture';

/** A cluster with ConfigMap `app` and Deployment `web` that uses it, whose pods are ready after two seconds. */
export function rollingCluster(readyDelayMs = 2_000): Harness {
  const harness = new Harness();
  harness.leaseTimings = handoverLease;
  harness.seed(app, web);
  new Controllers(harness.server, { readyDelayMs }).start();
  return harness;
}

export function pageOf(engine: Engine, query = ''): HistoryPage {
  return historyPageSchema.parse(JSON.parse(asked(engine, `/v1/history${query}`).text));
}

/** What is told a second after the last question at the latest. */
export async function told(harness: Harness, engine: Engine, query = ''): Promise<readonly HistoryEntry[]> {
  await harness.clock.advance(1_000);
  return pageOf(engine, query).entries;
}

/** The texts of the history's ConfigMaps, by name. */
export function stored(harness: Harness): ReadonlyMap<string, string> {
  const segments = harness
    .objects('ConfigMap')
    .filter(({ metadata }) => metadata.namespace === 'reroll' && isHistoryName(metadata.name));
  return new Map(segments.map((each) => [each.metadata.name, String(fieldAt(each, ['data', 'restarts']))]));
}

export function entryLine(entry: Partial<HistoryEntry>): string {
  const causes = [{ kind: 'ConfigMap', name: 'app', change: '9f3e11aa', why: 'content changed', keys: ['color'] }];
  const base = { at: '2025-12-31T23:00:00.000Z', id: '00000000', kind: 'Deployment', namespace: 'shop', name: 'web' };
  return `${JSON.stringify({ ...base, strategy: 'env-vars', causes, outcome: 'healthy', ...entry })}\n`;
}
