import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import type { Applied, LintRow } from './lint.fixture';
import { usesConfigMap } from './lint.fixture';

type Texts = Readonly<Record<string, string>>;

/** A workload that restarts for all that it uses. */
function app(
  name: string,
  order: { readonly after?: string; readonly wave?: string },
  uses?: readonly string[],
): Applied {
  const metadata: Texts = {
    [keys.auto]: 'true',
    ...(order.after !== undefined && { 'reroll.dev/after': order.after }),
    ...(order.wave !== undefined && { 'reroll.dev/wave': order.wave }),
  };
  return { name, metadata, ...(uses && { envFrom: uses.map(usesConfigMap) }) };
}

function ownedBy(owner: string, owned: Applied): Applied {
  const ownerReferences = [{ kind: 'Deployment', name: owner, controller: true }];
  return { ...owned, as: { group: 'apps', kind: 'Deployment', ownerReferences } };
}

const annotated = (after: string): string => `Deployment shop/web: annotation reroll.dev/after="${after}" `;
const byName = (after: string) =>
  ['bad-order', `${annotated(after)}names itself, or one that in the end comes after it, and has no effect; name only those that come before`] as const; // prettier-ignore
const byWave = (after: string) =>
  ['bad-order', `${annotated(after)}leads to one of a higher reroll.dev/wave, which waits for it, and has no effect; change a wave, or name only those that come before`] as const; // prettier-ignore

const db = 'deployment/db';
const afterDb = app('web', { after: db });

/** Workloads that come after others of their namespace. */
export const orderRows: readonly LintRow[] = [
  {
    title: 'one that names it',
    applied: afterDb,
    others: [app('db', { after: 'deployment/web' })],
    says: [byName(db)],
  },
  {
    title: 'one that names another one that names it',
    applied: afterDb,
    others: [app('db', { after: 'deployment/cache' }), app('cache', { after: 'deployment/web' })],
    says: [byName(db)],
  },
  { title: 'one that it owns', applied: afterDb, others: [ownedBy('web', app('db', {}))], says: [byName(db)] },
  {
    title: 'one that is owned by another one that names it',
    applied: afterDb,
    others: [ownedBy('cache', app('db', {})), app('cache', { after: 'deployment/web' })],
    says: [byName(db)],
  },
  { title: 'one of a higher wave', applied: afterDb, others: [app('db', { wave: '1' })], says: [byWave(db)] },
  {
    title: 'one of the usual wave from a lower one',
    applied: app('web', { after: db, wave: '-1' }),
    others: [app('db', {})],
    says: [byWave(db)],
  },
  {
    title: 'one that names another one of a higher wave',
    applied: afterDb,
    others: [app('db', { after: 'deployment/cache', wave: '-5' }), app('cache', { wave: '2' })],
    says: [byWave(db)],
  },
  {
    title: 'one that is owned by one of a higher wave',
    applied: afterDb,
    others: [ownedBy('cache', app('db', {})), app('cache', { wave: '2' })],
    says: [byWave(db)],
  },
];

/** Workloads whose order is no circle. */
export const orderedRows: readonly LintRow[] = [
  { title: 'after one of the same wave', applied: afterDb, others: [app('db', {})], says: [] },
  { title: 'after one of a lower wave', applied: afterDb, others: [app('db', { wave: '-1' })], says: [] },
  { title: 'after one that is not known', applied: afterDb, others: [app('cache', { wave: '1' })], says: [] },
  {
    title: 'after two that name each other',
    applied: afterDb,
    others: [app('db', { after: 'deployment/cache' }), app('cache', { after: db })],
    says: [],
  },
  {
    title: 'after one of a higher wave that uses other sources',
    applied: afterDb,
    others: [app('db', { wave: '1' }, ['common'])],
    says: [],
  },
  {
    title: 'after one of a higher wave that uses the same source, and does not restart for it',
    applied: { ...afterDb, envFrom: [usesConfigMap('app')] },
    others: [
      {
        name: 'db',
        metadata: { [keys.auto]: 'true', [keys.configMapExclude]: 'app', 'reroll.dev/wave': '1' },
      },
    ],
    says: [],
  },
  {
    title: 'after one of a higher wave, with one between that uses other sources',
    applied: afterDb,
    others: [app('db', { after: 'deployment/cache' }, ['common']), app('cache', { wave: '1' })],
    says: [],
  },
];
