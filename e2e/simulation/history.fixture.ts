import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from '../apiserver/api-server';
import { configMap, cronJob, deployment, fromConfigMap, job, secret, seed } from '../apiserver/cluster';
import { withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { seededRandom } from '../apiserver/seeded-random';
import { ownNamespace } from '../engine-settings';
import { Digests } from './contents';
import { judge, Judge, type Violation } from './judge';
import { plainRules, type Rules } from './rules';

const key = Buffer.alloc(32, 7);
export const digests = new Digests(key);
const source = 'ConfigMap default/app';

const usesApp = {
  annotations: { 'reloader.stakater.com/auto': 'true' },
  envFrom: [fromConfigMap('app')],
};

const journalEntry = 'reroll-job-0123456789abcdef';

/** Builds a history by hand: a workload that uses one ConfigMap, and an engine whose every write the test decides. */
export class Hand {
  readonly clock = new FakeClock();
  readonly server = new ApiServer({ clock: this.clock, random: seededRandom(1) });
  #sequence = 0;

  constructor() {
    seed(this.server, {
      ...secret({ name: 'reroll-digest-key', namespace: 'reroll', binaryData: { key: key.toString('base64') } }),
    });
    seed(this.server, configMap({ name: 'app', data: { color: 'value-1-' } }));
    seed(this.server, deployment({ name: 'web', ...usesApp }));
  }

  async lead(holder = 'engine-0-1'): Promise<void> {
    for (const renewTime of ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:02.000000Z']) {
      const spec = { holderIdentity: holder, acquireTime: '2026-01-01T00:00:00.000000Z', renewTime };
      const object = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'reroll', namespace: 'reroll' },
        spec,
      };
      if (this.server.store.get(this.server.kindOf('Lease'), 'reroll/reroll')) {
        await this.#update('Lease', 'reroll', 'reroll', holder, (lease) => ({ ...lease, spec }));
      } else
        await this.server.registry.create(
          writeBy(holder, 'reroll', 'create'),
          this.server.kindOf('Lease'),
          'reroll',
          object,
        );
    }
    await this.clock.advance(3_000);
  }

  async edit(color: string, thenMs = 3_000, others: JsonObject = {}, user = 'dev'): Promise<void> {
    const data = { color, ...others };
    await this.#update('ConfigMap', 'default', 'app', user, (object) => ({ ...object, data }));
    await this.clock.advance(thenMs);
  }

  /** Deletes the ConfigMap and creates it with other content, at the beginning of a second. */
  async recreate(color: string): Promise<void> {
    await this.clock.advance(1_000 - (this.clock.nowMs() % 1_000));
    await this.deleteSource();
    this.createSource(color);
  }

  async deleteSource(): Promise<void> {
    await this.#delete('dev', 'ConfigMap', 'default', 'app');
  }

  createSource(color: string, labels: Readonly<Record<string, string>> = {}): void {
    seed(this.server, configMap({ name: 'app', labels, data: { color } }));
  }

  /** Replaces the labels of the ConfigMap or the namespace. */
  async label(kind: 'ConfigMap' | 'Namespace', labels: Readonly<Record<string, string>>): Promise<void> {
    const [namespace, name] = kind === 'Namespace' ? ['', 'default'] : ['default', 'app'];
    await this.#update(kind, namespace, name, 'dev', (object) => withValueAt(object, ['metadata', 'labels'], labels));
    await this.clock.advance(1_000);
  }

  /** Sets an annotation of the ConfigMap; undefined removes it. */
  async annotateSource(name: string, value: string | undefined): Promise<void> {
    await this.#update('ConfigMap', 'default', 'app', 'dev', (object) =>
      withValueAt(object, ['metadata', 'annotations', name], value),
    );
    await this.clock.advance(5_000);
  }

  /** Sets an annotation of `web`; undefined removes it. */
  async annotate(name: string, value: string | undefined, user = 'dev'): Promise<void> {
    await this.write(user, (object) => withValueAt(object, ['metadata', 'annotations', name], value));
    await this.clock.advance(5_000);
  }

  /** Sets an annotation of the namespace; undefined removes it. */
  async annotateNamespace(name: string, value: string | undefined): Promise<void> {
    await this.#update('Namespace', '', 'default', 'dev', (object) =>
      withValueAt(object, ['metadata', 'annotations', name], value),
    );
    await this.clock.advance(5_000);
  }

  /** Creates the ConfigMap that holds everything. */
  async holdEverything(annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    seed(this.server, configMap({ name: 'reroll-hold', namespace: ownNamespace, annotations }));
    await this.clock.advance(5_000);
  }

  /** Deletes `web` and creates it again: another object, without a baseline. */
  async recreateWorkload(): Promise<void> {
    await this.#delete('dev', 'Deployment', 'default', 'web');
    seed(this.server, deployment({ name: 'web', ...usesApp }));
  }

  /** Any write to a Deployment. */
  async write(user: string, change: (object: KubeObject) => JsonObject, name = 'web'): Promise<void> {
    await this.#update('Deployment', 'default', name, user, change);
  }

  /** The controller calls the Deployment rolled out, or counts pods of a former template beside the new one. */
  async rollOut(name: string, formerPods = 0): Promise<void> {
    const kind = this.server.kindOf('Deployment');
    const { generation = 0 } = this.server.store.get(kind, `default/${name}`)?.metadata ?? {};
    const counts = { replicas: 1 + formerPods, updatedReplicas: 1, availableReplicas: 1 };
    const status = { observedGeneration: generation, ...counts };
    const context = writeBy('deployment-controller', 'kube-controller-manager', 'update', 'status');
    const object = (current: KubeObject) => ({ object: { ...current, status } });
    await this.server.registry.update(context, kind, 'default', name, object);
  }

  async createSecret(user: string): Promise<void> {
    const object = secret({ name: 'db', data: { color: 'secret-1-' } });
    await this.server.registry.create(writeBy(user, user, 'create'), this.server.kindOf('Secret'), 'default', object);
  }

  async editSecret(color: string): Promise<void> {
    const data = { color: Buffer.from(color).toString('base64') };
    await this.#update('Secret', 'default', 'db', 'dev', (object) => ({ ...object, data }));
    await this.clock.advance(3_000);
  }

  /** The engine writes an Event that says why it restarted `web`, or what happened to another workload. */
  async event(message: string, kind: 'Deployment' | 'Job' = 'Deployment', name = 'web'): Promise<void> {
    const { uid } = this.server.store.get(this.server.kindOf(kind), `default/${name}`)?.metadata ?? {};
    const involvedObject = { kind, namespace: 'default', name, uid };
    const metadata = { name: `${name}.${this.server.store.revision}`, namespace: 'default' };
    await this.#create('Event', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject,
      reason: 'Reloaded',
      message,
    });
  }

  /** A user removes the engine's baseline from `web`. */
  async strip(): Promise<void> {
    await this.#update('Deployment', 'default', 'web', 'dev', (object) =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], undefined),
    );
  }

  /** The engine records the content `color`, or its absence. With `restart`, it changes the template too. */
  async engine(
    color: string | undefined,
    restart: boolean,
    change: (object: JsonObject) => JsonObject = (object) => object,
    user = 'engine-0-1',
    secretColor?: string,
  ): Promise<void> {
    const text = this.#baseline(color, secretColor);
    await this.#update('Deployment', 'default', 'web', user, (object) => {
      const recorded = withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
      const at = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];
      return change(restart ? withValueAt(recorded, at, String(this.#sequence)) : recorded);
    });
  }

  /** An engine restarts `web` for `color` and adds `told` to the restart annotation. Returns the restart's id. */
  async restart(color: string, told: JsonObject = {}, user?: string): Promise<string> {
    const restart = {
      at: new Date(this.clock.nowMs()).toISOString(),
      id: `restart${this.#sequence}`,
      sources: { 'cm/app': ['color'] },
      ...told,
    };
    const record = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'], JSON.stringify(restart));
    await this.engine(color, true, record, user);
    return restart.id;
  }

  /** The digest of `color` as the content of the ConfigMap. */
  digestOf(color: string): string {
    return digests.whole(source, new Map([['color', color]]));
  }

  /** The digest of `color` as the content of the Secret. */
  digestOfSecret(color: string): string {
    return digests.whole('Secret default/db', new Map([['color', color]]));
  }

  /** The engine records the content `color` on the CronJob `report`. */
  async recordOnCronJob(color: string, text = this.#baseline(color)): Promise<void> {
    await this.#update('CronJob', 'default', 'report', 'engine-0-1', (object) =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text),
    );
  }

  addCronJob(): void {
    seed(this.server, cronJob({ name: 'report', ...usesApp }));
  }

  addJob(annotations: Readonly<Record<string, string>> = {}): void {
    seed(this.server, job({ name: 'migrate', ...usesApp, annotations: { ...usesApp.annotations, ...annotations } }));
  }

  /** The engine runs the CronJob `report` as a Job. */
  async run(name: string): Promise<void> {
    const { uid } = this.server.store.get(this.server.kindOf('CronJob'), 'default/report')?.metadata ?? {};
    const run = job({ name });
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid, controller: true }];
    await this.#create('Job', { ...run, metadata: { ...run.metadata, ownerReferences } });
  }

  /** The engine deletes the Job `migrate` and creates it again with a baseline of the content `color`. */
  async createAnew(color: string | undefined, image?: string): Promise<void> {
    await this.deleteJob('engine-0-1');
    await this.createJob(color, `restart-${this.#sequence}`, image);
  }

  async deleteJob(user: string): Promise<void> {
    await this.#delete(user, 'Job', 'default', 'migrate');
  }

  /** The engine writes a journal entry, which exists from before a Job's deletion until after its creation. */
  async openJournal(): Promise<void> {
    const object = secret({ name: journalEntry, namespace: ownNamespace, data: {} });
    const context = writeBy('engine-0-1', 'reroll', 'create');
    await this.server.registry.create(context, this.server.kindOf('Secret'), ownNamespace, object);
  }

  async closeJournal(): Promise<void> {
    await this.#delete('engine-0-1', 'Secret', ownNamespace, journalEntry);
  }

  /** The engine creates the Job `migrate` with `restart` as its restart annotation. */
  async createJob(color: string | undefined, restart: string, image?: string): Promise<void> {
    const own = { 'reroll.dev/baseline': this.#baseline(color), 'reroll.dev/last-restart': restart };
    const annotations = { ...usesApp.annotations, ...own };
    await this.#create('Job', job({ ...usesApp, name: 'migrate', annotations, ...(image !== undefined && { image }) }));
  }

  promises(calm = false, rules: Partial<Rules> = {}): readonly Violation['promise'][] {
    return judge(this.server.history(), calm, { ...plainRules, ...rules }).map(({ promise }) => promise);
  }

  #baseline(color: string | undefined, secretColor?: string): string {
    this.#sequence += 1;
    const content = color === undefined ? undefined : new Map([['color', color]]);
    const ofSecret = secretColor !== undefined && { 'secret/db': this.digestOfSecret(secretColor) };
    const sources = { 'cm/app': digests.whole(source, content), ...ofSecret };
    return JSON.stringify({ v: 1, n: this.#sequence, key: 'k', sources });
  }

  async #create(kind: string, object: JsonObject | ReturnType<typeof job>): Promise<void> {
    const context = writeBy('engine-0-1', 'reroll', 'create');
    await this.server.registry.create(context, this.server.kindOf(kind), 'default', object);
  }

  async #delete(user: string, kind: string, namespace: string, name: string): Promise<void> {
    const options = { propagationPolicy: 'Background' } as const;
    await this.server.registry.delete(
      writeBy(user, user, 'delete'),
      this.server.kindOf(kind),
      namespace,
      name,
      options,
    );
  }

  async #update(
    kind: string,
    namespace: string,
    name: string,
    user: string,
    change: (object: KubeObject) => JsonObject,
  ): Promise<void> {
    const context = writeBy(user, user, 'patch');
    const object = (current: KubeObject) => ({ object: change(current) });
    await this.server.registry.update(context, this.server.kindOf(kind), namespace, name, object);
  }
}

/** A history in which the engine has adopted `web`. `settle` runs before any engine leads. */
export async function adopted(settle: (hand: Hand) => Promise<void> = async () => undefined): Promise<Hand> {
  const hand = new Hand();
  await settle(hand);
  await hand.lead();
  await hand.engine('value-1-', false);
  return hand;
}

/** A judge that sees each write as it happens, and a backup of the current state to which `restore` goes back. */
export function backUp(
  { server, clock }: Hand,
  rules?: Rules,
): { readonly judge: Judge; readonly restore: () => void } {
  const judge = new Judge(rules);
  server.history().forEach((write) => judge.wrote(write));
  server.store.subscribe((write) => judge.wrote(write));
  const { revision } = server.store;
  server.store.passOver(1_000);
  const restore = (): void => {
    server.restore(revision);
    judge.restored(revision, clock.nowMs());
  };
  return { judge, restore };
}
