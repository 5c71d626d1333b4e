import { beforeEach, expect, it } from '@jest/globals';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { paced, type PacedOptions } from '../gates/gates.fixture';
import { KeptContents } from './kept-contents';
import type { KeptSource } from './stored-source';

const app = { ...sourceRecord(), kind: 'ConfigMap' } satisfies KeptSource;
const object = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'red' } },
  metadata: { name: 'app', namespace: 'shop', uid: app.uid, resourceVersion: '1' },
};

let users: TrackedWorkload[];
let isJudging: boolean;
let immutable: boolean;
let reads: number;
let onRead: () => void;
let written: string[];
let kept: KeptContents;

function user(name: string, options: PacedOptions = {}) {
  return { ...paced({ name, ...options }), baseline: { sequence: 1, keyId: 'k', sources: new Map() } };
}

beforeEach(() => {
  users = [user('web')];
  [isJudging, immutable, reads, onRead, written] = [false, false, 0, () => undefined, []];
  kept = new KeptContents({
    ...{ clock: new FakeClock(), healthyForMs: 0, owes: () => false, isJudging: () => isJudging },
    asksFor: ({ record }) => record.name === 'web',
    workloads: { usersOf: () => users },
    contents: {
      read: async () => {
        reads++;
        onRead();
        return await Promise.resolve({ kind: 'ConfigMap', object: { ...object, immutable }, record: app });
      },
    },
    store: {
      read: async () => await Promise.resolve('absent'),
      write: async (role) => {
        written.push(role);
        await Promise.resolve();
      },
    },
  });
});

it('keeps nothing while those that restarted first have yet to prove it, and looks again', async () => {
  isJudging = true;
  expect(await kept.keep(app)).toEqual({ kind: 'again', afterMs: 5_000 });
  isJudging = false;
  expect([written, await kept.keep(app), written]).toEqual([['good'], { kind: 'done' }, ['good']]);
});

it('keeps nothing if a health check does not pass any more once the source is read', async () => {
  onRead = () => (isJudging = true);
  expect(await kept.keep(app)).toEqual({ kind: 'again', afterMs: 0 });
  expect(written).toEqual([]);
});

it('keeps what must not be put back once a later version of it may, and reads each version once', async () => {
  immutable = true;
  for (const version of ['1', '1', '2', '2']) await kept.keep({ ...app, resourceVersion: version });
  expect([reads, written]).toEqual([2, []]);
  immutable = false;
  await kept.keep({ ...app, resourceVersion: '2' });
  expect([reads, written]).toEqual([2, []]);
  await kept.keep({ ...app, resourceVersion: '3' });
  expect(written).toEqual(['good']);
});

it('asks nothing of a user that restarts for other sources only, and learns nothing from it', async () => {
  users = [{ ...user('other'), baseline: undefined }, user('other')];
  expect([await kept.keep(app), written]).toEqual([{ kind: 'done' }, []]);
  users = [user('web'), user('other', { state: 'failed' }), ...users];
  expect([await kept.keep(app), written]).toEqual([{ kind: 'done' }, ['good']]);
});

it.each<[string, boolean, TrackedWorkload]>([
  ['is healthy', true, user('web')],
  ['has a status that shows nothing', true, user('web', { state: 'unknown' })],
  ['rolls out', false, user('web', { state: 'rolling' })],
  ['has failed', false, user('web', { state: 'failed' })],
  ['has no record of what its pods have', false, { ...user('web'), baseline: undefined }],
])('beside a healthy user, one that %s lets the content be kept: %s', async (_what, isKept, other) => {
  users = [user('web'), other];
  await kept.keep(app);
  expect(written).toEqual(isKept ? ['good'] : []);
});
