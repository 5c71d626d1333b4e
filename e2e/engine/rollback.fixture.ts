import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { FaultTarget } from '../apiserver/faults';
import type { WriteRecord } from '../apiserver/store';
import { engineUser, Harness, type Engine, type Outlets } from './harness';
import { inspected } from './inspection.fixture';

export const minuteMs = 60_000;
/** Pods with this color never become ready. */
export const bad = 'black';
export const onFailure = 'reroll.dev/on-failure';
export const rolledBack = 'reroll.dev/rolled-back';
const auto = { 'reloader.stakater.com/auto': 'true' };

const stages = { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs };
export const rollbackSettings: Partial<EngineSettings> = { pace: unlimited, stages, rollback: true };

/** A shop of Deployments that use ConfigMap `app`, which is annotated for a rollback. */
export class Shop {
  readonly harness = new Harness();
  engine: Engine | undefined;
  /** Pods with these never become ready. */
  readonly badColors = new Set<unknown>([bad]);

  constructor(annotations: Readonly<Record<string, string>> = { [onFailure]: 'rollback' }, users = 10) {
    const app = configMap({
      name: 'app',
      namespace: 'shop',
      annotations,
      labels: { team: 'x' },
      data: { color: 'red' },
    });
    this.harness.seed(namespace('shop'), app);
    for (let n = 0; n < users; n++) this.user(`web-${n}`);
  }

  user(name: string, annotations: Readonly<Record<string, string>> = {}, uses: readonly string[] = ['app']): void {
    const pod = {
      annotations: { ...auto, ...annotations },
      replicas: 1,
      envFrom: uses.map((source) => fromConfigMap(source)),
    };
    this.harness.seed(deployment({ name, namespace: 'shop', ...pod }));
  }

  /** Another source, with a user of its own. */
  source(name: string): void {
    const metadata = { name, namespace: 'shop', annotations: { [onFailure]: 'rollback' } };
    this.harness.seed(configMap({ ...metadata, data: { color: 'red' } }));
    const envFrom = [fromConfigMap(name)];
    this.harness.seed(deployment({ name, namespace: 'shop', annotations: auto, replicas: 1, envFrom }));
  }

  /** Starts the controllers and an engine, which keeps the first content. */
  async start(settings: Partial<EngineSettings> = {}, outlets: Outlets = {}): Promise<void> {
    const isBroken = (sources: ReadonlyMap<string, unknown>): boolean =>
      [...sources.values()].some((source) => this.badColors.has(fieldAt(source, ['data', 'color'])));
    new Controllers(this.harness.server, { readyDelayMs: 5_000, isBroken }).start();
    await this.harness.clock.advance(minuteMs);
    this.engine = await this.harness.start({ ...rollbackSettings, ...settings }, undefined, outlets);
    await this.harness.clock.advance(minuteMs);
  }

  async stop(): Promise<void> {
    await this.engine?.stop();
  }

  async write(color: string): Promise<void> {
    await this.harness.edit('ConfigMap', 'app', { color }, 'shop');
  }

  async patch(patch: object): Promise<void> {
    await this.harness.patchSource('ConfigMap', 'app', patch, 'shop');
  }

  async annotateNamespace(annotations: Readonly<Record<string, string>>): Promise<void> {
    const path = '/api/v1/namespaces/shop';
    const body = { metadata: { annotations } };
    await this.harness.admin.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }

  async pass(minutes: number): Promise<void> {
    await this.harness.clock.advance(minutes * minuteMs);
  }

  configMaps(): readonly KubeObject[] {
    return this.harness.objects('ConfigMap').filter(({ metadata }) => metadata.namespace === 'shop');
  }

  get app(): KubeObject | undefined {
    return this.configMaps().find(({ metadata }) => metadata.name === 'app');
  }

  get color(): unknown {
    return fieldAt(this.app, ['data', 'color']);
  }

  kept(role: 'good' | 'bad'): KubeObject | undefined {
    return this.configMaps().find(({ metadata }) => metadata.labels?.['reroll.dev/kept'] === role);
  }

  /** The ids of changes that were put back, as the source tells. */
  get rolledBack(): readonly string[] {
    return this.app?.metadata.annotations?.[rolledBack]?.split(',') ?? [];
  }

  /** The engines' writes of contents of the source. */
  putBacks(): readonly WriteRecord[] {
    return this.ownWrites().filter(
      ({ key, object, previous }) =>
        key === 'shop/app' && JSON.stringify(fieldAt(object, ['data'])) !== JSON.stringify(fieldAt(previous, ['data'])),
    );
  }

  /** The engines' writes of ConfigMaps in the shop. */
  ownWrites(): readonly WriteRecord[] {
    return this.harness.server
      .history()
      .filter(({ kind, user, key }) => kind.kind === 'ConfigMap' && user === engineUser && key.startsWith('shop/'));
  }

  events(reason: string): readonly string[] {
    return this.harness
      .objects('Event')
      .filter((event) => fieldAt(event, ['reason']) === reason)
      .map((event) => {
        const { kind, name } = objectOf(fieldAt(event, ['involvedObject']));
        return `${String(kind)} ${String(name)}: ${String(fieldAt(event, ['message']))}`;
      });
  }

  status(name: string): object {
    if (!this.engine) throw new Error('no engine was started');
    return inspected.workload(this.engine, `Deployment/shop/${name}`);
  }

  async metric(outcome: string): Promise<number> {
    const series = (await this.engine?.metrics.registry.series('reroll_rollbacks_total')) ?? [];
    return series.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
  }
}

/** A write of the engine to ConfigMaps of the shop. */
export function isOwnWrite({ user, method, pathname }: FaultTarget): boolean {
  return user === engineUser && method !== 'GET' && pathname.startsWith('/api/v1/namespaces/shop/configmaps');
}

/** The patch of the source itself. */
export function isPutBack(target: FaultTarget): boolean {
  return isOwnWrite(target) && target.method === 'PATCH' && target.pathname.endsWith('/app');
}
