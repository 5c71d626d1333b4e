import type { HistoryEntry } from '../../shared/domain/protocol/history';
import type { ReporterOptions } from '../reporting/reporter';

/** A history that nobody asks. */
export const noHistory: ReporterOptions['history'] = {
  restarted: () => undefined,
  restartedAsTold: () => undefined,
  withheld: () => undefined,
  refused: () => true,
  refusedAsTold: () => true,
  notOwed: () => undefined,
  find: () => undefined,
};

/** The restart number `index`, a second after the one before. */
export function entryAt(index: number, changed: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
    id: index.toString(16).padStart(8, '0'),
    ...{ kind: 'Deployment', namespace: 'shop', name: 'web', strategy: 'env-vars' },
    causes: [{ kind: 'ConfigMap', name: 'app', change: '9f3e11aa', why: 'content changed', keys: ['color'] }],
    outcome: 'rolling',
    ...changed,
  };
}
