import { budgets } from '../../shared/domain/budgets';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { at, digester, workloadObject } from '../../shared/domain/plan/records.fixture';
import { EngineWorld, leasePath } from './engine.fixture';

export const web = '/apis/apps/v1/namespaces/shop/deployments/web';
export const db = '/apis/apps/v1/namespaces/shop/statefulsets/db';
export const app = '/api/v1/namespaces/shop/configmaps/app';
export const once = '/apis/batch/v1/namespaces/shop/jobs/once';
export const password = '/api/v1/namespaces/shop/secrets/db';

/** The request by which a new leader looks for Jobs to recreate. */
export const journalList = 'GET /api/v1/namespaces/reroll/secrets?labelSelector=reroll.dev%2Fjournal%3Djob&limit=10';
/** The write by which a new leader creates the journal's key. */
export const journalKey = 'POST secrets';
export const firstBaselines = ['PATCH deployments/web', 'PATCH statefulsets/db'];

/** One name more than a list may have. */
export const names = Array.from({ length: budgets.listNames + 1 }, (_, index) => `n${index}`).join(',');
export const overBudget = { 'configmap.reloader.stakater.com/reload': names };

/** Deployment `web` uses ConfigMap `app`, which is red. StatefulSet `db` uses Secret `db`. */
export function shop(...options: ConstructorParameters<typeof EngineWorld>): EngineWorld {
  const world = new EngineWorld(...options);
  world.server.put(web, workloadObject());
  world.server.put(db, workloadObject({ kind: 'StatefulSet', name: 'db', uses: ['secret/db'] }));
  world.server.put(password, { metadata: { namespace: 'shop', name: 'db' }, data: { password: 'YQ==' } });
  paint(world, 'red');
  return world;
}

export function paint(world: EngineWorld, color: string, writtenAtMs?: number, path = app): void {
  const [namespace, , name] = path.split('/').slice(4);
  const time = writtenAtMs === undefined ? undefined : new Date(writtenAtMs).toISOString();
  const managedFields = time === undefined ? [] : [{ manager: 'kubectl', time }];
  world.server.put(path, { metadata: { namespace, name, managedFields }, data: { color } });
}

export async function running(...options: Parameters<typeof shop>): Promise<EngineWorld> {
  const world = shop(...options);
  await world.start();
  return world;
}

/** How often each of the two workloads was compared with its baseline. */
export async function looks(world: EngineWorld): Promise<{ readonly web: number; readonly db: number }> {
  const [web = 0, db = 0] = await Promise.all(
    ['Deployment', 'StatefulSet'].map(async (kind) => await world.metric('reloader_workloads_scanned_total', { kind })),
  );
  return { web, db };
}

export async function leads(world: EngineWorld): Promise<boolean> {
  return (await world.metric('reroll_leader')) === 1;
}

/** Writes the Lease as another replica would. */
export function lease(world: EngineWorld, holderIdentity: string, renewTimeMs = at(-30), version?: number): void {
  const renewTime = new Date(renewTimeMs).toISOString();
  const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime, leaseTransitions: 0 };
  world.server.put(leasePath, { metadata: { namespace: 'reroll', name: 'reroll' }, spec }, version);
}

export function holder(world: EngineWorld): unknown {
  return fieldAt(world.server.objects.get(leasePath), ['spec', 'holderIdentity']);
}

export function baselineOf(world: EngineWorld, path: string): string | undefined {
  return textOf(fieldAt(world.server.objects.get(path), ['metadata', 'annotations', 'reroll.dev/baseline']));
}

/** A change record that an attacker with access to the channel might send. */
export function forged(world: EngineWorld): object {
  return {
    ...{ v: 1, id: 'review', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: `uid of ${app}`, user: 'mallory' },
    ...{ digest: 'A'.repeat(22), keyId: digester.keyId, observedAtMs: world.clock.nowMs() },
    changed: { added: [], changed: ['color'], removed: [] },
  };
}

/** Whether the engine has marked the pod template of Deployment `web` for a restart. */
export function isRestarted(world: EngineWorld): boolean {
  return fieldAt(world.server.objects.get(web), ['spec', 'template', 'metadata', 'annotations']) !== undefined;
}
