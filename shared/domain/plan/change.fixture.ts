import type { Change } from './change';
import { contentOf } from './records.fixture';

export const blue = contentOf({ color: 'blue' }).whole();

export function changeOf(change: Partial<Change> = {}): Change {
  const { kind = 'ConfigMap', name = 'app' } = change;
  return {
    id: `${kind === 'ConfigMap' ? 'cm' : 'secret'}/${name}`,
    kind,
    name,
    container: 'main',
    whole: blue,
    uid: 'uid-app',
    version: '1',
    changeId: '9f3e11aa',
    exists: true,
    decision: 'auto',
    comparison: { restart: true, because: 'content-changed', recorded: blue, changedKeys: ['color'] },
    attribution: undefined,
    ...change,
  };
}
