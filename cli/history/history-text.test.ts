import { expect, it } from '@jest/globals';
import { paintFor } from '../output/text-style';
import { historyText } from './history-text';
import type { HistoryRow } from './read-history';

const cause = { kind: 'ConfigMap', name: 'app', why: 'content changed', keys: ['color'] };
const row = {
  ...{ at: '2026-01-01T12:00:00.000Z', id: '3f9c2a71', kind: 'Deployment', namespace: 'shop', name: 'web' },
  ...{ causes: [cause], outcome: 'healthy' },
};

it.each<[string, HistoryRow, string]>([
  ['all of them', row, 'ConfigMap app: color'],
  ['some of them', { ...row, moreCauses: 5 }, 'ConfigMap app: color; and 5 more'],
  ['none of them, which would be too long', { ...row, causes: [], moreCauses: 25 }, '25 changes'],
  ['nothing', { ...row, causes: [] }, ''],
])('says what a restart is for, if its entry names %s', (_what, shown, because) => {
  const history = {
    rows: [shown],
    entries: [],
    keptSince: undefined,
    answeredBy: 'leader',
    silence: undefined,
  } as const;
  const more = { nowMs: Date.parse(row.at), allNamespaces: false, asked: 'in namespace shop', notices: [] };
  const text = historyText(
    { ...history, notices: [] },
    { ...more, paint: paintFor(false), wide: false, width: undefined },
  );
  expect(text.split('\n')[1]).toBe(`0s    deployment/web   healthy            ${because}`.trimEnd());
});
