import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../shared/kube/client/objects';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { WriteRecord } from '../apiserver/store';
import { engineUser, type Engine, type Harness, handoverLease } from './harness';
import { MutatingWebhook, webhookTimeoutMs } from './mutating-webhook';

const rounds = 60;
/** When the source changes: the round of the operator, and how many milliseconds after its write. */
const editsAfterMs: Readonly<Record<number, number>> = { 15: 3_000, 30: 9_700, 45: 0 };
const operator = 'web-operator';
const auto = { 'reloader.stakater.com/auto': 'true' };
const manifest = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const path = '/apis/apps/v1/namespaces/default/deployments';

/** Builds the operator's next write from the current object. */
type Made = (current: KubeObject) => object;
const itsAnnotations: Made = (current) => annotated(current, auto);
const itsManifest: Made = () => manifest;

function annotated({ metadata, ...object }: KubeObject, annotations: Readonly<Record<string, string>>): object {
  const { name, namespace, labels } = metadata;
  return { ...object, metadata: { name, namespace, labels, annotations } };
}

let webhook: MutatingWebhook;
let harness: Harness;
let engine: Engine;

beforeEach(async () => {
  webhook = new MutatingWebhook();
  webhook.state = 'unregistered';
  harness = webhook.harness;
  harness.seed(configMap({ name: 'app', data: { color: '0' } }));
  harness.leaseTimings = handoverLease;
  engine = await harness.start();
  webhook.asked = [engine];
});

async function send(method: 'POST' | 'PUT', body: object, manager = operator): Promise<void> {
  const target = method === 'POST' ? path : `${path}/web`;
  await harness.admin.request({ method, path: `${target}?fieldManager=${manager}`, body });
}

async function create(manager = operator): Promise<void> {
  const created = send('POST', manifest, manager);
  await harness.clock.advance(webhookTimeoutMs);
  await created;
  await harness.clock.advance(60_000);
}

/** One round of the operator, and what else happens during it. */
async function sync(body: object, everyMs: number, meanwhile = async () => await Promise.resolve()): Promise<void> {
  const written = send('PUT', body);
  await meanwhile();
  await harness.clock.advance(everyMs);
  await written;
}

async function operate(made: Made, everyMs: number): Promise<void> {
  const edits: Promise<void>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const afterMs = editsAfterMs[round];
    await sync(made(await harness.get('Deployment', 'web')), everyMs - (afterMs ?? 0), async () => {
      if (afterMs === undefined) return;
      await harness.clock.advance(afterMs);
      // Not awaited: a frozen webhook delays this write too, maybe into the next round.
      edits.push(harness.edit('ConfigMap', 'app', { color: String(round) }));
    });
  }
  await Promise.all(edits);
}

const writes = (): readonly WriteRecord[] => harness.writesOf('Deployment', 'web');

function writesOfEngine(): number {
  return writes().filter(({ user }) => user === engineUser).length;
}

/** Who made each change of the pod template, which replaces the pods. */
function rollouts(): readonly string[] {
  const changing = writes().filter(
    ({ object, previous }) =>
      previous !== undefined && JSON.stringify(harness.template(object)) !== JSON.stringify(harness.template(previous)),
  );
  return changing.map(({ user }) => (user === engineUser ? 'engine' : 'operator'));
}

async function baseline(): Promise<string | undefined> {
  return (await harness.get('Deployment', 'web')).metadata.annotations?.['reroll.dev/baseline'];
}

function warnings(): readonly KubeObject[] {
  return harness.objects('Event').filter(({ type }) => type === 'Warning');
}

/** The baseline is put back at once, then after 1 s, 2 s, 4 s, … an hour: at most this often in that time. */
const [putBackInTenMinutes, putBackInAnHour] = [10, 12];
const adoption = 1;
const restarts = ['engine', 'engine', 'engine'];
/** The operator's next write removes the marker of each restart. */
const restartsTakenBack = restarts.flatMap((restart) => [restart, 'operator']);

describe(`an operator that removes Reroll's annotations for ${rounds} rounds`, () => {
  it.each([
    ['annotations every 10 s', 'unregistered', itsAnnotations, 10_000, putBackInTenMinutes, restarts],
    ['annotations every 60 s', 'unregistered', itsAnnotations, 60_000, putBackInAnHour, restarts],
    ['manifest every 10 s', 'unregistered', itsManifest, 10_000, putBackInTenMinutes, restartsTakenBack],
    ['manifest every 60 s', 'unregistered', itsManifest, 60_000, putBackInAnHour, restartsTakenBack],
    ['manifest every 10 s', 'frozen', itsManifest, 10_000, putBackInTenMinutes, restartsTakenBack],
    ['manifest every 60 s', 'frozen', itsManifest, 60_000, putBackInAnHour, restartsTakenBack],
  ] as const)(
    'by writing its %s, with a webhook that is %s, makes Reroll back off and is named in one warning',
    async (_what, state, made, everyMs, putBack, expected) => {
      webhook.state = state;
      await create();
      await operate(made, everyMs);
      expect(rollouts()).toEqual(expected);
      expect(writesOfEngine()).toBe(adoption + putBack + restarts.length);
      const event = {
        reason: 'BaselineRemoved',
        involvedObject: { kind: 'Deployment', namespace: 'default', name: 'web' },
        message: expect.stringMatching(/Field manager "web-operator" updates it.*--register=mutating/),
      };
      expect(warnings()).toMatchObject([event]);
      const lines = engine.lines.filter(({ level }) => level === 'warn');
      expect(lines).toMatchObject([{ fields: { workload: 'Deployment default/web', fieldManagers: [operator] } }]);
    },
  );

  it.each([
    ['annotations', itsAnnotations],
    ['manifest', itsManifest],
  ])('by writing its %s removes nothing if the webhook answers', async (_what, made) => {
    webhook.state = 'answering';
    await create();
    await operate(made, 10_000);
    expect(rollouts()).toEqual(restarts);
    expect(writesOfEngine()).toBe(restarts.length);
    expect(warnings()).toEqual([]);
  });

  it.each([
    ['it has set no field', [], 'managedFields does not show which field manager removes it.'],
    [
      'others have written too',
      ['kubectl-edit', operator],
      'of its field managers removes it: "web-operator", "kubectl-edit".',
    ],
  ])('is not blamed if, by managedFields, %s', async (_what, managers, expected) => {
    await create('kubectl-create');
    for (const manager of managers) {
      const current = await harness.get('Deployment', 'web');
      const labels = { ...current.metadata.labels, [manager]: 'was-here' };
      await send('PUT', annotated({ ...current, metadata: { ...current.metadata, labels } }, auto), manager);
      await harness.clock.advance(10_000);
    }
    for (let round = 0; round < 5; round++) await sync(itsAnnotations(await harness.get('Deployment', 'web')), 10_000);
    expect(warnings()).toMatchObject([{ message: expect.stringContaining(expected) }]);
  });
});

it('a standby that takes over restarts for a change, because it remembers the removed baseline', async () => {
  await harness.start({ identity: 'reroll-1' });
  await create();
  for (let round = 0; round < 10; round++) await sync(manifest, 10_000);
  expect(await baseline()).toBeUndefined();
  engine.kill();
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(120_000);
  expect(rollouts()).toEqual(['engine']);
});

describe('no warning is given about', () => {
  afterEach(() => {
    expect(warnings()).toEqual([]);
  });

  it('a user who removes the baseline twice', async () => {
    await create();
    for (let round = 0; round < 2; round++) await sync(manifest, 60_000);
    expect(await baseline()).toContain('"n":3');
  });

  it('a user who goes back to an older baseline again and again, as `kubectl rollout undo` does', async () => {
    await create();
    const old = await harness.get('Deployment', 'web');
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    for (let round = 0; round < 5; round++) {
      await sync(annotated(old, old.metadata.annotations ?? {}), 60_000);
      expect(await baseline()).toContain(`"n":${3 + round}`);
    }
  });

  it('a user who opts out, and earlier removals no longer count', async () => {
    await create();
    for (let round = 0; round < 5; round++) {
      await sync(manifest, 60_000);
      expect(await baseline()).toContain('"n":2');
      await sync({ ...manifest, metadata: { ...manifest.metadata, annotations: {} } }, 60_000);
      await sync(manifest, 60_000);
      expect(await baseline()).toContain('"n":1');
    }
  });
});
