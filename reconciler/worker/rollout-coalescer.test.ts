import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { sourceId, type DigestedSource } from '../../shared/domain/sources/source';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { clientWorld, type ClientWorld } from '../../shared/kube/client/client.fixture';
import type { FakeClock } from '../../shared/runtime/fake-clock';
import { StaleWorkloadError } from '../apply/read-again';
import type { Verdict } from '../../shared/domain/plan/verdict';
import {
  at,
  policySettings,
  sourceRecord,
  trackedWorkload,
  workloadObject,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import { RolloutCoalescer } from './rollout-coalescer';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

interface State extends WorkloadOptions {
  readonly image?: string;
  readonly generation?: number;
  /** The number of pods that have the current template, out of one. */
  readonly updated?: number;
}

const key = 'Deployment/shop/web';
const blue = sourceRecord({ data: { color: 'blue' }, resourceVersion: '2' });
const green = sourceRecord({ data: { color: 'green' }, resourceVersion: '3' });
const db = sourceRecord({ kind: 'Secret', name: 'db', data: { pw: 'b' } });

let stored: object;
/** Past states by version, if they differ from the current one. */
let past: Map<string, object>;
/** Paths of requests for a past version. */
let reads: string[];
/** The counters that issue the versions of the two resources. */
let counters: { readonly workloads: readonly number[]; readonly sources: number };
let known: TrackedWorkload | undefined;
let world: ClientWorld;
let clock: FakeClock;
let coalescer: RolloutCoalescer;
let gets: number;
let versionsAsked: number;
/** The number of workloads that use each source. */
let users: number;
/** Delays answers; undefined: none is delayed. */
let held: (() => void)[] | undefined;

function object({ image = 'app:1', generation = 1, updated = 1, ...options }: State = {}): object {
  const containers = [{ name: 'main', image, envFrom: [{ configMapRef: { name: 'app' } }] }];
  const { metadata, ...rest } = workloadObject({ containers, resourceVersion: String(generation), ...options });
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: updated };
  return { ...rest, metadata: { ...metadata, generation }, status };
}

function tracked(state: State = {}): TrackedWorkload {
  const record = readWorkload(workloadKind('Deployment'), object(state), defaultAnnotationKeys, policySettings);
  return trackedWorkload(record);
}

/** Sets what the API server stores and the watch shows. */
function store(state: State): void {
  stored = object(state);
  known = tracked(state);
}

function change(...sources: readonly DigestedSource[]): void {
  for (const { kind, namespace, name, ...rest } of sources) {
    const after = { kind, namespace, name, ...rest };
    coalescer.changed(
      { kind, namespace, name, before: undefined, after },
      Array<TrackedWorkload>(users).fill(known ?? tracked()),
    );
  }
}

/** A restart is owed for this content of the source; undefined: for its deletion. */
function owed({ kind, name, uid }: DigestedSource, content: ContentDigest | undefined): Verdict {
  return {
    ...{ id: sourceId({ kind, name }), kind, name, container: 'main', whole: content?.whole() },
    ...{ uid: content && uid, version: undefined, exists: content !== undefined },
    ...{ decision: 'auto', comparison: undefined },
  };
}

function owedFor(source: DigestedSource): Verdict {
  return owed(source, source.content);
}

async function look(...sources: readonly DigestedSource[]): Promise<string> {
  const decision = await coalescer.look(known ?? tracked(), sources.map(owedFor));
  return decision.kind;
}

beforeEach(() => {
  gets = 0;
  versionsAsked = 0;
  users = 1;
  held = undefined;
  past = new Map();
  reads = [];
  counters = { workloads: [7, 9], sources: 8 };
  world = clientWorld(async ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'https://api');
    if (searchParams.has('limit')) {
      const counted = pathname.endsWith('/deployments') ? counters.workloads[versionsAsked++ % 2] : counters.sources;
      return counted === undefined ? { status: 503 } : { body: { metadata: { resourceVersion: String(counted) } } };
    }
    const version = searchParams.get('resourceVersion');
    if (version === null) gets++;
    else reads.push(path);
    const then = version === null ? stored : (past.get(version) ?? object());
    const body = version === null ? then : { items: [then] };
    await new Promise<void>((resolve) => (held ? held.push(resolve) : resolve()));
    return { body };
  });
  ({ clock } = world);
  store({});
  coalescer = new RolloutCoalescer({
    ...{ clock, logger: world.logger },
    context: {
      client: world.client,
      read: (kind, read) => readWorkload(workloadKind(kind), read, defaultAnnotationKeys, policySettings),
    },
  });
});

/** Shows the change, then gives the workload another template. */
function released(...sources: readonly DigestedSource[]): void {
  change(...sources);
  store({ image: 'app:2', generation: 2 });
}

describe('RolloutCoalescer', () => {
  it('coalesces a change into the rollout of a template that was stored after the read', async () => {
    released(blue);
    expect(await coalescer.look(tracked({ image: 'app:2', generation: 2 }), [owedFor(blue)])).toMatchObject({
      kind: 'coalesced',
      workload: { record: { resourceVersion: '2' } },
    });
  });

  it('does not coalesce a change that was not seen', async () => {
    released(blue);
    expect(await look(blue, db)).toBe('restart');
  });

  it('does not coalesce a content other than the one that was seen', async () => {
    released(blue);
    expect(await look(green)).toBe('restart');
  });

  it('coalesces several changes that were seen before one read', async () => {
    released(blue, db);
    expect(await look(blue, db)).toBe('coalesced');
  });

  it.each([
    [100, 'coalesced'],
    [101, 'restart'],
  ])('remembers a hundred sources of a workload: with %s the decision is %s', async (count, decision) => {
    const many = Array.from({ length: count }, (_, n) => sourceRecord({ name: `app-${String(n)}` }));
    released(...many);
    expect(await look(...many)).toBe(decision);
  });

  it('does not coalesce a deleted source: its last version is from before the deletion', async () => {
    coalescer.changed({ ...db, before: db, after: undefined }, [tracked()]);
    await clock.advance(100);
    store({ image: 'app:2', generation: 2 });
    expect([await coalescer.look(known ?? tracked(), [owed(db, undefined)]), reads]).toEqual([{ kind: 'restart' }, []]);
  });

  it('reads the workload as of when the source was stored, however late it sees either', async () => {
    store({ image: 'app:2', generation: 2, updated: 0 });
    change(blue);
    expect(await look(blue)).toBe('wait');
    expect(reads).toEqual([
      '/apis/apps/v1/namespaces/shop/deployments?fieldSelector=metadata.name%3Dweb&resourceVersion=2&resourceVersionMatch=Exact',
    ]);
    store({ image: 'app:2', generation: 2 });
    expect([await look(blue), reads.length]).toEqual(['coalesced', 1]);
  });

  it.each<[string, State, State, number]>([
    ['that was not written since', {}, {}, 0],
    ['that had a new generation after the change was seen', {}, { generation: 2 }, 1],
    ['that was in the middle of a rollout when it was seen', { updated: 0 }, {}, 1],
    ['that was written after the change, and rolled out before that was seen', {}, { writtenAtMs: at(1) }, 1],
  ])('looks into the past where it is worth it: of a workload %s', async (_, then, now, expected) => {
    const rest = { writtenAtMs: at(-1) };
    store({ ...rest, ...then });
    change({ ...blue, writtenAtMs: at(0) });
    store({ ...rest, ...now });
    expect([await look(blue), reads.length]).toEqual(['restart', expected]);
  });

  it.each<[string, State, number | undefined]>([
    ['workload', {}, at(0)],
    ['source', { writtenAtMs: at(-1) }, undefined],
  ])('and where the %s does not show when it was written', async (_, then, sourceAtMs) => {
    store(then);
    change({ ...blue, writtenAtMs: sourceAtMs });
    expect([await look(blue), reads.length]).toEqual(['restart', 1]);
  });

  it('does not coalesce if the new template was stored before the source', async () => {
    past.set('2', object({ image: 'app:2', generation: 2, updated: 0 }));
    released(blue);
    expect(await look(blue)).toBe('restart');
  });

  it('reads at the version of the last of several changes, in whatever order they are seen', async () => {
    const later = sourceRecord({ ...green, kind: 'Secret', resourceVersion: '30' });
    released(later, blue);
    expect(await look(later, blue)).toBe('coalesced');
    expect(reads.map((path) => new URL(path, 'https://api').searchParams.get('resourceVersion'))).toEqual(['30']);
  });

  it.each<[string, typeof counters]>([
    ['behind', { workloads: [7, 9], sources: 6 }],
    ['ahead of', { workloads: [7, 9], sources: 10 }],
  ])(
    'does not coalesce where the versions of sources come from another etcd, %s that of workloads',
    async (_, counted) => {
      counters = counted;
      released(blue);
      expect([await look(blue), reads]).toEqual(['restart', []]);
      change(green);
      // The answer is cached.
      expect([await look(green), versionsAsked, reads]).toEqual(['restart', 2, []]);
    },
  );

  it('asks again whether versions can be compared if it got no answer', async () => {
    counters = { workloads: [], sources: 8 };
    released(blue);
    expect(await look(blue)).toBe('restart');
    counters = { workloads: [7, 9], sources: 8 };
    coalescer.forget(key);
    versionsAsked = 0;
    store({ image: 'app:2', generation: 2 });
    change(green);
    await clock.advance(100);
    store({ image: 'app:3', generation: 3 });
    expect(await look(green)).toBe('coalesced');
  });

  it('asks whether versions can be compared for each kind of source', async () => {
    released(blue, db);
    expect([await look(blue, db), versionsAsked]).toEqual(['coalesced', 4]);
    change(green);
    expect([await look(green, db), versionsAsked]).toEqual(['coalesced', 4]);
  });

  it('looks again if a change arrives while it reads', async () => {
    released(blue);
    const answers = (held = []) as (() => void)[];
    const looked = look(blue);
    change(db);
    held = undefined;
    for (const answer of answers) answer();
    expect(await looked).toBe('wait');
    expect(await look(blue, db)).toBe('coalesced');
  });

  it('starts over once the changes were answered', async () => {
    change(blue, green);
    coalescer.forget(key);
    released(blue);
    expect(await look(blue)).toBe('coalesced');
  });

  it('does not coalesce if the workload was in the middle of a rollout: a pod of any older template may be left', async () => {
    past.set('2', object({ updated: 0 }));
    released(blue);
    expect(await look(blue)).toBe('restart');
  });

  it('does not coalesce a change that was undone halfway: pods may have started with the content in between', async () => {
    released(blue);
    change(green);
    change(blue);
    past.set('3', object({ image: 'app:2', generation: 2, updated: 0 }));
    expect([await look(blue), reads.length]).toEqual(['restart', 1]);
  });

  it('does not coalesce for more than twenty users', async () => {
    users = 21;
    released(blue);
    expect([await look(blue), reads]).toEqual(['restart', []]);
  });

  it('does not confuse another object of that name with the one it has read', async () => {
    released(blue);
    store({ image: 'app:2', generation: 2, uid: 'another' });
    expect(await look(blue)).toBe('restart');
  });

  it('throws if the workload is not the one that was planned for', async () => {
    released(blue);
    stored = object({ image: 'app:2', generation: 2, baseline: 'of somebody else' });
    await expect(look(blue)).rejects.toThrow(StaleWorkloadError);
  });

  it('waits until the old pods are gone, and reads no more until the watch shows that', async () => {
    released(blue);
    store({ image: 'app:2', generation: 2, updated: 0 });
    expect([await look(blue), await look(blue), await look(blue), gets]).toEqual(['wait', 'wait', 'wait', 1]);
    const expected =
      'Deployment shop/web: another rollout is in progress; Reroll restarts it only if that rollout is undone or takes too long';
    expect(world.logger.lines.filter(({ level }) => level === 'info').map(({ message }) => message)).toEqual([
      expected,
    ]);
    store({ image: 'app:2', generation: 2 });
    expect([await look(blue), gets]).toEqual(['coalesced', 2]);
  });

  it('uses a read again if the write that answers failed, unless it did not cover all changes', async () => {
    released(blue);
    const refused = async (): Promise<never> => await Promise.reject(new Error('refused'));
    await expect(coalescer.answering(key, refused)).rejects.toThrow('refused');
    expect(await look(blue)).toBe('coalesced');
    const changedMeanwhile = async (): Promise<never> => {
      change(db);
      return await refused();
    };
    await expect(coalescer.answering(key, changedMeanwhile)).rejects.toThrow('refused');
    expect(await look(blue)).toBe('restart');
  });

  it('uses no read again if changes may have gone unseen during the write', async () => {
    released(blue);
    const cleared = async (): Promise<never> => {
      coalescer.clear();
      return await Promise.reject(new Error('not leading'));
    };
    await expect(coalescer.answering(key, cleared)).rejects.toThrow('not leading');
    expect(await look(blue)).toBe('restart');
  });

  it.each<[string, () => unknown]>([
    ['it was written', async () => await coalescer.answering(key, async () => await Promise.resolve())],
    ['nothing is owed', () => coalescer.forget(key)],
    ['changes may go unseen', () => coalescer.clear()],
  ])('forgets what it has read when %s', async (_, happens) => {
    released(blue);
    await happens();
    expect(await look(blue)).toBe('restart');
  });

  it('reads nothing that was forgotten meanwhile, and nothing of kinds without a rollout status', async () => {
    change(blue);
    coalescer.forget(key);
    const record = { ...tracked().record, kind: 'CronJob' as const };
    coalescer.changed({ ...blue, before: undefined, after: blue }, [{ ...tracked(), key: 'CronJob/shop/web', record }]);
    await clock.advance(100);
    expect(reads).toEqual([]);
  });

  it('tolerates an answer that is not a workload', async () => {
    released(blue);
    past.set('2', { metadata: { name: 'web', uid: 'u', resourceVersion: '1' } });
    expect(await look(blue)).toBe('restart');
  });
});
