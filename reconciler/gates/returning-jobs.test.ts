import { beforeEach, expect, it } from '@jest/globals';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { workloadRecord } from '../../shared/domain/plan/records.fixture';
import { unstoredWorkload } from '../../shared/domain/plan/unstored-workload';
import { NamespaceRevisions } from '../workloads/namespace-revisions';
import { ReturningJobs } from './returning-jobs';

const app = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;
const key = 'Job/shop/migrate';
let shown: TrackedWorkload | undefined;
let jobs: ReturningJobs;
let revisions: NamespaceRevisions;

function migrate(uid: string, namespace = 'shop'): TrackedWorkload {
  return unstoredWorkload(workloadRecord({ kind: 'Job', name: 'migrate', namespace, uid }), undefined);
}

beforeEach(() => {
  shown = migrate('old');
  revisions = new NamespaceRevisions();
  jobs = new ReturningJobs({
    get: (asked) => (asked === shown?.key ? shown : undefined),
    usersOf: () => (shown ? [shown] : []),
    revisionOf: (namespace) => revisions.of(namespace),
    revise: (namespace) => revisions.revise(namespace),
  });
  jobs.add({ entry: 'entry', formerUid: 'old', workload: migrate('to come') });
});

it('is the index as long as that has the Job', () => {
  expect([jobs.get(key), jobs.usersOf(app)]).toEqual([shown, [shown]]);
});

it('has the Job to come between the two, among the users of its sources, in its namespace alone', () => {
  shown = undefined;
  expect(jobs.get(key)?.record.uid).toBe('to come');
  expect(jobs.usersOf(app).map(({ record }) => record.uid)).toEqual(['to come']);
  expect(jobs.usersOf({ ...app, name: 'other' })).toEqual([]);
  expect(jobs.usersOf({ ...app, namespace: 'elsewhere' })).toEqual([]);
});

it('forgets it once the index shows the new one, and not because of the old one', () => {
  jobs.saw(migrate('old'));
  shown = undefined;
  expect(jobs.get(key)).toBeDefined();
  jobs.saw(migrate('new'));
  expect(jobs.get(key)).toBeUndefined();
});

it('forgets it if its entry ends without it', () => {
  shown = undefined;
  expect([jobs.ended('other'), jobs.ended('entry'), jobs.get(key)]).toEqual([undefined, key, undefined]);
});

it('has the Job of an entry to come until the index shows it', () => {
  expect([jobs.has('other'), jobs.has('entry')]).toEqual([false, true]);
  jobs.saw(migrate('new'));
  expect(jobs.has('entry')).toBe(false);
});

it('has another revision after each of these, and none for an entry that is known', () => {
  const seen = [jobs.revisionOf('shop')];
  const steps = [
    () => void jobs.ended('entry'),
    () => jobs.add({ entry: 'next', formerUid: 'old', workload: migrate('to come') }),
    () => jobs.add({ entry: 'later', formerUid: 'old', workload: migrate('to come') }),
    () => jobs.saw(migrate('new')),
    () => jobs.add({ entry: 'last', formerUid: 'new', workload: migrate('to come') }),
    () => jobs.clear(),
  ];
  for (const step of steps) {
    step();
    seen.push(jobs.revisionOf('shop'));
  }
  expect(new Set(seen).size).toBe(seen.length);
  jobs.add({ entry: 'one', formerUid: 'new', workload: migrate('to come') });
  const revision = jobs.revisionOf('shop');
  jobs.add({ entry: 'one', formerUid: 'new', workload: migrate('to come') });
  expect(jobs.revisionOf('shop')).toBe(revision);
});

it('is the same as before for other namespaces', () => {
  revisions.came('bank');
  const before = jobs.revisionOf('bank');
  jobs.add({ entry: 'next', formerUid: 'old', workload: migrate('to come') });
  jobs.ended('next');
  jobs.clear();
  expect(jobs.revisionOf('bank')).toBe(before);
});

it('knows an entry no more once another one is for the same Job', () => {
  jobs.add({ entry: 'next', formerUid: 'old', workload: migrate('to come') });
  expect([jobs.has('entry'), jobs.ended('entry'), jobs.has('next'), jobs.ended('next')]).toEqual([
    ...[false, undefined],
    ...[true, key],
  ]);
});
