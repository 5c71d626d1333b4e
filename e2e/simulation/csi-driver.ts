import { secretProviderClass, secretProviderClassKind, secretProviderClassPodStatusKind } from '../apiserver/add-ons';
import type { ApiServer } from '../apiserver/api-server';
import { seed } from '../apiserver/cluster';
import { stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy, type WriteContext } from '../apiserver/registry';
import { storeKey, type WriteRecord } from '../apiserver/store';
import { classes, classesOf } from './csi-mounts';
import { sameContent, type Content } from './contents';
import type { Draw } from './draw';
import type { Edits } from './edits';
import { isOfWorkload } from './lives';
import { workloads, type Place } from './places';
import { mountedOf } from './rotations';
import { templateOf } from './usage';

export interface CsiDriverOptions {
  readonly server: ApiServer;
  readonly edits: Edits;
  readonly nowMs: () => number;
  readonly later: (delayMs: number, run: () => void) => void;
  readonly draw: Draw;
  readonly calm: boolean;
}

/** The status of one volume of one pod. */
interface Status {
  /** Undefined if the pod belongs to none of the simulated workloads. */
  readonly workload: Place | undefined;
  readonly pod: string;
  /** The class, such as `shop/vault`. */
  readonly of: string;
  readonly name: string;
  readonly createdMs: number;
  wasRotated: boolean;
}

/**
 * For this long after a status was created, the driver looks for no other version: what is written by then completes
 * the status.
 */
const firstLookMs = 7_000;
/** The first versions of a status come well before that. */
const completedWithinMs = 3_000;

/**
 * The CSI driver, the provider whose secrets it mounts, and the pods that mount them. What the provider holds changes
 * at once. Each pod gets the change when the driver next looks.
 */
export class CsiDriver {
  readonly #options: CsiDriverOptions;
  readonly #held = new Map<string, Content>();
  readonly #former = new Map<string, Content[]>();
  readonly #statuses = new Map<string, Status>();
  /**
   * When a class was last seen rotated, and to what. Nobody can tell which of two rotations within the same second is
   * newer.
   */
  readonly #rotated = new Map<string, { readonly second: number; readonly content: Content }>();
  #values = 0;
  #pods = 0;
  #isServed = false;

  constructor(options: CsiDriverOptions) {
    this.#options = options;
  }

  /** Whether the API is served, and the classes exist. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** Serves the API from now on, and creates the classes and the statuses of running pods. */
  begin(): void {
    const { server, draw, edits } = this.#options;
    for (const kind of [secretProviderClassKind, secretProviderClassPodStatusKind]) server.serve(kind);
    this.#isServed = true;
    for (const { namespace, name } of classes) {
      const { metadata, ...rest } = secretProviderClass(name);
      seed(server, { ...rest, metadata: { ...metadata, namespace } });
      this.#hold(`${namespace}/${name}`, ['pw', 'cert']);
    }
    for (const { namespace, name } of classes) {
      for (let left = draw.int(0, 2); left > 0; left--) {
        this.#createStatus(undefined, `pod-${this.#pods++}`, `${namespace}/${name}`);
      }
    }
    for (const workload of workloads) {
      if (edits.object(workload)) for (let left = draw.int(1, 2); left > 0; left--) this.#create(workload);
    }
    server.store.subscribe((write) => this.#wrote(write));
  }

  /** A class that pods mount. */
  anyClass(draw: Draw): string {
    return draw.pickAny([...this.#statuses.values()])?.of ?? 'default/vault';
  }

  /** From now on the provider holds other secrets for a class, or some that it held before. */
  rotate(draw: Draw, of = this.anyClass(draw)): void {
    const { later, calm } = this.#options;
    const former = draw.chance(0.12) ? draw.pickAny(this.#former.get(of) ?? []) : undefined;
    if (former) this.#held.set(of, former);
    else this.#hold(of, [draw.pick(['pw', 'cert'])]);
    const withinMs = calm ? 4_000 : draw.pick([1_000, 5_000, 20_000, 60_000]);
    for (const status of this.#statuses.values()) {
      if (status.of === of) later(draw.int(0, withinMs), () => this.#look(status));
    }
  }

  /** Replaces one pod or all pods of a workload. */
  replacePods(draw: Draw): void {
    const status = draw.pickAny([...this.#statuses.values()]);
    if (status?.workload) this.#replace(status.workload, draw.chance(0.5) ? status.pod : undefined);
    else if (status) {
      this.#remove([status]);
      this.#options.later(draw.int(0, 2_000), () => this.#createStatus(undefined, status.pod, status.of));
    }
  }

  addPod(draw: Draw): void {
    const workload = draw.pickAny([...this.#statuses.values()])?.workload;
    if (workload) this.#create(workload);
  }

  /**
   * etcd was restored. The garbage collector deletes the statuses of pods that no longer run, and a workload gets new
   * pods in place of those whose statuses are lost.
   */
  restored(): void {
    const { server, later, draw } = this.#options;
    const stored = [...server.store.list(secretProviderClassPodStatusKind)].map(statusOf);
    for (const status of stored) {
      if (!this.#statuses.has(status.name)) later(draw.int(100, 3_000), () => this.#remove([status]));
    }
    const kept = new Set(stored.map(({ name }) => name));
    for (const { name, workload } of [...this.#statuses.values()].filter((status) => !kept.has(status.name))) {
      this.#statuses.delete(name);
      if (workload) later(draw.int(100, 2_000), () => this.#create(workload));
    }
  }

  #hold(of: string, ids: readonly string[]): void {
    const changed = new Map(this.#held.get(of));
    for (const id of ids) changed.set(id, `value-${1_000 + this.#values++}-`);
    const content = new Map([...changed].sort(([left], [right]) => (left < right ? -1 : 1)));
    this.#held.set(of, content);
    this.#former.set(of, [...(this.#former.get(of) ?? []), content]);
  }

  #wrote(write: WriteRecord): void {
    if (!isOfWorkload(write)) return;
    const { kind, object, previous, type } = write;
    const { name, namespace } = object.metadata;
    const workload = workloads.find(
      (place) => place.kind === kind.kind && place.namespace === namespace && place.name === name,
    );
    if (!workload || kind.kind === 'CronJob') return;
    const { later, draw } = this.#options;
    if (type === 'DELETED') {
      for (const pod of this.#podsOf(workload)) later(draw.int(100, 3_000), () => this.#remove(pod));
    } else if (previous === undefined) {
      for (let left = draw.int(1, 2); left > 0; left--) later(draw.int(100, 2_000), () => this.#create(workload));
    } else if (templateOf(previous) !== templateOf(object)) this.#replace(workload, undefined);
  }

  /** Replaces the pod `only`. If that is undefined, replaces all pods, one after the other. */
  #replace(workload: Place, only: string | undefined): void {
    const { later, draw } = this.#options;
    const pods = this.#podsOf(workload).filter(([status]) => only === undefined || status?.pod === only);
    let atMs = draw.int(100, 1_500);
    // A workload that starts to use a class had no statuses before.
    if (pods.length === 0) later(atMs, () => this.#create(workload));
    for (const pod of pods) {
      const isNamed = workload.kind === 'StatefulSet';
      later(isNamed ? atMs + draw.int(100, 2_000) : atMs, () =>
        this.#create(workload, isNamed ? pod[0]?.pod : undefined),
      );
      later(isNamed ? atMs : atMs + draw.int(0, 1_500), () => this.#remove(pod));
      atMs += draw.int(0, 1_000);
    }
  }

  #podsOf(workload: Place): readonly (readonly Status[])[] {
    const pods = new Map<string, Status[]>();
    for (const status of this.#statuses.values()) {
      if (status.workload === workload) pods.set(status.pod, [...(pods.get(status.pod) ?? []), status]);
    }
    return [...pods.values()];
  }

  #create(workload: Place, pod = `${workload.name}-${this.#pods++}`): void {
    const object = this.#options.edits.object(workload);
    for (const className of object ? classesOf(object) : []) {
      this.#createStatus(workload, pod, `${workload.namespace}/${className}`);
    }
  }

  #createStatus(workload: Place | undefined, pod: string, of: string): void {
    const { server, edits, nowMs, later, draw } = this.#options;
    const [namespace = '', className = ''] = of.split('/');
    const name = `${pod}-${namespace}-${className}`;
    const isLate = draw.chance(0.25);
    edits.do(
      `create status ${name}`,
      async (context) => {
        const held = isLate ? undefined : this.#held.get(of);
        const status = { workload, pod, of, name, createdMs: nowMs(), wasRotated: false };
        const body = { ...bodyOf(status, held), metadata: { name, namespace } };
        await server.registry.create(context, secretProviderClassPodStatusKind, namespace, body);
        this.#statuses.set(name, status);
        return ` ${told(held)}`;
      },
      asDriver(),
    );
    if (isLate) later(draw.int(200, 2_500), () => this.#mount(name));
  }

  /** Gives a status that was created without versions its first ones. */
  #mount(name: string): void {
    const status = this.#statuses.get(name);
    if (status && mountedOf(this.#objectOf(status) ?? noObject).content === undefined) this.#write(status);
  }

  #look(status: Status): void {
    const { nowMs, later } = this.#options;
    const held = this.#held.get(status.of);
    const object = this.#objectOf(status);
    if (this.#statuses.get(status.name)?.createdMs !== status.createdMs || !object || !held) return;
    const { content } = mountedOf(object);
    if (sameContent(content, held)) return;
    const waitMs = Math.max(
      content ? 0 : 1_000,
      status.createdMs + firstLookMs - nowMs(),
      this.#untilTellable(status.of, held),
    );
    if (waitMs > 0) later(waitMs, () => this.#look(status));
    else this.#write(status);
  }

  #untilTellable(of: string, content: Content): number {
    const nowMs = this.#options.nowMs();
    const last = this.#rotated.get(of);
    const isSame = last?.second === Math.floor(nowMs / 1000) && !sameContent(last.content, content);
    return isSame ? 1_001 - (nowMs % 1000) : 0;
  }

  #write(status: Status): void {
    const { server, edits, nowMs } = this.#options;
    const { name, of } = status;
    const [namespace = ''] = of.split('/');
    edits.do(
      `show other versions in status ${name}`,
      async (context) => {
        const held = this.#held.get(of) ?? noContent;
        const before = mountedOf(this.#objectOf(status) ?? noObject).content;
        // Another rotation may have been written in this second meanwhile. Then the next look decides.
        if (before && this.#untilTellable(of, held) > 0) {
          this.#options.later(1_001, () => this.#look(status));
          return ', not yet';
        }
        const { registry } = server;
        // First versions that are written so late would look like a rotation. A kubelet that mounts so late creates the
        // status only then.
        if (!before && nowMs() - status.createdMs > completedWithinMs) {
          await registry.delete(context, secretProviderClassPodStatusKind, namespace, name, {});
          const body = { ...bodyOf(status, held), metadata: { name, namespace } };
          await registry.create(context, secretProviderClassPodStatusKind, namespace, body);
          this.#statuses.set(name, { ...status, createdMs: nowMs() });
          return ` ${told(held)}`;
        }
        const change = (): { readonly object: ReturnType<typeof bodyOf> } => ({
          object: { ...this.#objectOf(status), ...bodyOf(status, held) },
        });
        await registry.update(context, secretProviderClassPodStatusKind, namespace, name, change);
        if (!before || sameContent(before, held)) return '';
        this.#rotated.set(of, { second: Math.floor(nowMs() / 1000), content: held });
        const current = this.#statuses.get(name);
        if (current) current.wasRotated = true;
        return ` ${told(held)}`;
      },
      asDriver(),
    );
  }

  /**
   * If all pods of the newest rotation are gone, a process that starts then takes an older rotation, on a pod that lags
   * behind, for the newest. This limit of the design is known and accepted. So here such a pod gets the newest versions
   * first.
   */
  #remove(pod: readonly Status[]): void {
    const { server, edits, later } = this.#options;
    const classesOfPod = new Set(pod.map(({ of }) => of));
    const lagging = [...this.#statuses.values()].filter(
      (other) => !pod.includes(other) && other.wasRotated && classesOfPod.has(other.of),
    );
    const waitMs = Math.max(0, ...lagging.map(({ of }) => this.#untilTellable(of, this.#held.get(of) ?? noContent)));
    if (waitMs > 0) {
      later(waitMs, () => this.#remove(pod));
      return;
    }
    for (const other of lagging) this.#write(other);
    for (const status of pod) {
      const [namespace = ''] = status.of.split('/');
      edits.do(
        `delete status ${status.name}`,
        async (context) => {
          const options = { propagationPolicy: 'Background' } as const;
          this.#statuses.delete(status.name);
          await server.registry.delete(context, secretProviderClassPodStatusKind, namespace, status.name, options);
        },
        asDriver(),
      );
    }
  }

  #objectOf({ of, name }: Status): ReturnType<Edits['object']> {
    const [namespace = ''] = of.split('/');
    return this.#options.server.store.get(secretProviderClassPodStatusKind, storeKey(namespace, name));
  }
}

const noContent: Content = new Map();
const noObject = {
  apiVersion: '',
  kind: '',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
};

/** The status of a pod that no longer runs. */
function statusOf({ metadata: { namespace = '', name }, ...object }: KubeObject): Status {
  const pod = stringAt(object, 'status', 'podName') ?? '';
  const of = `${namespace}/${stringAt(object, 'status', 'secretProviderClassName') ?? ''}`;
  return { workload: undefined, pod, of, name, createdMs: 0, wasRotated: false };
}

function asDriver(): WriteContext {
  return writeBy('csi-driver', 'secrets-store-csi-driver', 'update');
}

function bodyOf({ pod, of }: Status, content: Content | undefined) {
  const objects = content && [...content].map(([id, version]) => ({ id, version }));
  const [, secretProviderClassName = ''] = of.split('/');
  const status = { podName: pod, secretProviderClassName, mounted: true, ...(objects && { objects }) };
  return { apiVersion: 'secrets-store.csi.x-k8s.io/v1', kind: 'SecretProviderClassPodStatus', status };
}

function told(content: Content | undefined): string {
  return JSON.stringify(content ? Object.fromEntries(content) : null);
}
