import { ownPrefix } from '../../shared/domain/annotations/annotations';
import type { ApiServer } from '../apiserver/api-server';
import type { Annotating } from './annotating-users';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  job,
  namespace,
  secret,
  seed,
  statefulSet,
} from '../apiserver/cluster';
import { arrayAt, objectAt, stringAt, withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { namespaceKind } from '../apiserver/resources';
import { deniedUser } from './admission';
import { decodedData } from './contents';
import type { CsiMounts } from './csi-mounts';
import type { Draw } from './draw';
import { Edits } from './edits';
import { contentKeys, isRolled, sources, workloads, type Place } from './places';
import { isPaused } from './pausing-users';
import type { Labelling } from './selecting-users';
import { leavingOut, sourceLabel } from './selection';
import { usageOf } from './usage';
import type { UseForms } from './use-forms';
import { drawUses, type Uses } from './uses';

type Content = Readonly<Record<string, string>>;

/** What the owner of a workload keeps in git. */
interface Manifest {
  readonly annotations: Readonly<Record<string, string>>;
  readonly uses: Uses;
  readonly image: number;
}

const autoAnnotation = 'reloader.stakater.com/auto';
const makers = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  CronJob: cronJob,
  Job: job,
} as const;

/** A user who makes only dry runs. */
const dryRunner = 'erin';

/** What users add to the objects that they write, besides the content. */
interface Writing {
  readonly labelling: Labelling;
  readonly annotating: Annotating;
  readonly mounts: CsiMounts;
  readonly inForms: UseForms;
}

/** People and programs that edit the cluster. Each value that they write is new, and the judge can recognize it. */
export class Users {
  readonly #server: ApiServer;
  /** All writes of users after {@link settleIn} go through this. */
  readonly edits: Edits;
  readonly #manifests = new Map<Place, Manifest>();
  readonly #former = new Map<Place, Content[]>();
  readonly #labelling: Labelling;
  readonly #annotating: Annotating;
  readonly #mounts: CsiMounts;
  readonly #inForms: UseForms;
  #values = 0;

  constructor(server: ApiServer, told: (what: string) => void, { labelling, annotating, mounts, inForms }: Writing) {
    this.#server = server;
    this.#labelling = labelling;
    this.#annotating = annotating;
    this.#mounts = mounts;
    this.#inForms = inForms;
    this.edits = new Edits(server, told);
  }

  /** Creates the cluster as it is before the story begins. */
  settleIn(draw: Draw): void {
    for (const name of ['default', 'shop']) {
      const labels = this.#labelling.ofNamespace();
      if (labels) seed(this.#server, namespace(name, { labels }));
    }
    for (const source of sources)
      if (draw.chance(0.85)) seed(this.#server, this.#sourceObject(source, this.#fresh(source, draw)));
    const share = draw.pick([0.5, 0.65, 0.85]);
    for (const workload of workloads) {
      if (!draw.chance(isRolled(workload) ? share : share * 0.6)) continue;
      seed(this.#server, this.#workloadObject(workload, this.#newManifest(workload, draw)));
    }
  }

  /** Whether every write that was begun has been answered. */
  get idle(): boolean {
    return this.edits.idle;
  }

  anySource(draw: Draw): Place {
    return draw.pick(sources);
  }

  /** A source that may restart a workload, if there is one. */
  usedSource(draw: Draw): Place {
    const objects = workloads.flatMap((workload) => this.object(workload) ?? []);
    const used = new Set(objects.flatMap((object) => [...usageOf(object).keys()]));
    const isUsed = ({ kind, namespace: within, name }: Place): boolean => used.has(`${kind} ${within}/${name}`);
    return draw.pickAny(sources.filter(isUsed)) ?? this.anySource(draw);
  }

  anyWorkload(draw: Draw): Place {
    return draw.pick(workloads as [Place, ...Place[]]);
  }

  contentOf(source: Place): Content | undefined {
    const object = this.object(source);
    return object && Object.fromEntries(decodedData(object));
  }

  editSource(source: Place, draw: Draw): void {
    const current = this.contentOf(source) ?? {};
    const key = draw.pick(contentKeys);
    if (draw.chance(0.12) && Object.keys(current).length > 1) {
      this.writeSource(source, Object.fromEntries(Object.entries(current).filter(([name]) => name !== key)));
    } else {
      this.writeSource(source, { ...current, [key]: this.#value(source) });
    }
  }

  revertSource(source: Place, draw: Draw): void {
    this.writeSource(source, draw.pickAny(this.#former.get(source) ?? []));
  }

  /** Does nothing if `content` is undefined, because there is no such content to write. */
  writeSource(source: Place, content: Content | undefined): void {
    if (content === undefined) return;
    this.edits.change(source, 'edit', (current) => {
      this.#remember(source, content);
      return { ...current, data: dataOf(source, content) };
    });
  }

  /** Replaces the data of a Secret. `key` is the base64 value of its only key, `key`. */
  writeSecret(secretPlace: Place, key: string): void {
    this.edits.change(secretPlace, 'write', (current) => ({ ...current, data: { key } }));
  }

  /** `kubectl apply --dry-run=server` with a content that is never stored. */
  dryRun(source: Place): void {
    const content = { ...this.contentOf(source), color: this.#value(source) };
    this.edits.change(source, 'try out an edit of', (current) => ({ ...current, data: dataOf(source, content) }), {
      ...writeBy(dryRunner, 'kubectl', 'update'),
      dryRun: true,
    });
  }

  /** An edit that the webhook admits, and that a later admission policy refuses. */
  deniedEdit(source: Place): void {
    const content = { ...this.contentOf(source), color: this.#value(source) };
    const edited = (current: KubeObject): JsonObject => ({ ...current, data: dataOf(source, content) });
    this.edits.change(source, 'edit', edited, writeBy(deniedUser, 'kubectl-edit', 'update'));
  }

  /** Several edits at once. An edit that insists on the version it read gets a 409 if another was faster. */
  racingEdits(source: Place, draw: Draw): void {
    const read = this.object(source);
    if (!read) return;
    for (let left = draw.int(2, 3); left > 0; left--) {
      const content = { ...this.contentOf(source), [draw.pick(contentKeys)]: this.#value(source) };
      const insists = draw.chance(0.5);
      const changed = (current: KubeObject): JsonObject => ({
        ...(insists ? read : current),
        data: dataOf(source, content),
      });
      this.edits.changeAtOnce(source, changed, () => this.#remember(source, content));
    }
  }

  deleteSource(source: Place): void {
    this.edits.delete(source);
  }

  createSource(source: Place, content: Content | undefined, draw: Draw): void {
    this.edits.create(source, this.#sourceObject(source, content ?? this.#fresh(source, draw)));
  }

  /** Changes a label and leaves the content as it is. */
  labelSource(source: Place, draw: Draw): void {
    const labels = { team: String(draw.int(1, 99)) };
    this.edits.change(source, 'label', (current) => {
      const kept: readonly string[] = [sourceLabel[0], leavingOut.source[0]];
      const selecting = Object.entries(current.metadata.labels ?? {}).filter(([name]) => kept.includes(name));
      return withValueAt(current, ['metadata', 'labels'], { ...Object.fromEntries(selecting), ...labels });
    });
  }

  editReferences(workload: Place, draw: Draw): void {
    if (!isRolled(workload)) return;
    const manifest = { ...this.#manifest(workload), uses: this.#uses(draw, workload) };
    this.#manifests.set(workload, manifest);
    this.edits.change(workload, 'edit references of', (current) => {
      const container = objectAt(arrayAt(current, 'spec', 'template', 'spec', 'containers')[0]);
      const markers = arrayAt(container, 'env').filter((entry) => stringAt(entry, 'name')?.startsWith('STAKATER_'));
      const env = [...manifest.uses.env, ...markers];
      const { envFrom, volumes, volumeMounts, sidecars = [], initContainers } = manifest.uses;
      const edited = { ...container, env, envFrom, volumeMounts };
      const podSpec = {
        ...objectAt(current, 'spec', 'template', 'spec'),
        ...{ containers: [edited, ...sidecars], volumes },
        ...(initContainers && { initContainers }),
      };
      return withValueAt(current, ['spec', 'template', 'spec'], podSpec);
    });
  }

  editImage(workload: Place): void {
    if (!isRolled(workload)) return;
    const manifest = { ...this.#manifest(workload), image: this.#manifest(workload).image + 1 };
    this.#manifests.set(workload, manifest);
    this.edits.change(workload, 'edit image of', (current) => {
      const [container = {}, ...others] = arrayAt(current, 'spec', 'template', 'spec', 'containers');
      const edited = { ...objectAt(container), image: imageOf(manifest) };
      return withValueAt(current, ['spec', 'template', 'spec', 'containers'], [edited, ...others]);
    });
  }

  /** Like `kubectl replace` with the file in git: it removes what others put onto the object. */
  replaceWorkload(workload: Place): void {
    const wanted = this.#workloadObject(workload, this.#manifest(workload));
    this.edits.replace(workload, (current) => ({
      ...(isRolled(workload)
        ? withValueAt(
            withValueAt(current, ['spec', 'template'], objectAt(wanted, 'spec', 'template')),
            ['spec', 'paused'],
            undefined,
          )
        : current),
      metadata: { ...current.metadata, annotations: objectAt(wanted, 'metadata', 'annotations') },
    }));
  }

  /** Like `kubectl rollout undo`, which also brings back the annotations of that time. */
  rollBack(workload: Place, draw: Draw): void {
    if (!isRolled(workload) || isPaused(this, workload)) return;
    const uid = this.object(workload)?.metadata.uid;
    const { store } = this.#server;
    // Without the writes that a restore of etcd has undone: the old ReplicaSets are in etcd, too.
    const former = store
      .records(this.#server.kindOf(workload.kind))
      .filter(({ object }) => object.metadata.uid === uid);
    const old = draw.pickAny(former)?.object;
    if (old === undefined) return;
    this.edits.change(workload, 'roll back', (current) => ({
      ...withValueAt(current, ['spec', 'template'], objectAt(old, 'spec', 'template')),
      metadata: { ...current.metadata, annotations: { ...old.metadata.annotations } },
    }));
  }

  /** An undefined value removes the annotation. */
  annotate(workload: Place, annotations: Readonly<Record<string, string | undefined>>): void {
    const manifest = this.#manifest(workload);
    const own = Object.entries({ ...manifest.annotations, ...annotations }).filter(
      ([name, value]) => value !== undefined && !name.startsWith(ownPrefix),
    ) as [string, string][];
    this.#manifests.set(workload, { ...manifest, annotations: Object.fromEntries(own) });
    this.edits.change(workload, `annotate ${JSON.stringify(annotations)}`, (current) =>
      withValueAt(current, ['metadata', 'annotations'], defined({ ...current.metadata.annotations, ...annotations })),
    );
  }

  nameSources(workload: Place, draw: Draw): void {
    const names = draw.some(['app', 'extra', 'absent'], 0.5).join(',');
    this.annotate(workload, {
      'configmap.reloader.stakater.com/reload': names === '' ? undefined : names,
      'secret.reloader.stakater.com/reload': draw.chance(0.5) ? 'db' : undefined,
    });
  }

  scale(workload: Place, draw: Draw): void {
    if (workload.kind !== 'Deployment' && workload.kind !== 'StatefulSet') return;
    const replicas = draw.int(0, 4);
    this.edits.change(workload, 'scale', (current) => withValueAt(current, ['spec', 'replicas'], replicas));
  }

  deleteWorkload(workload: Place): void {
    this.edits.delete(workload);
  }

  createWorkload(workload: Place, draw: Draw): void {
    this.edits.create(workload, this.#workloadObject(workload, this.#newManifest(workload, draw)));
  }

  /** Acts as the namespace controller: deletes what is in the namespace, and then the namespace. */
  deleteNamespace(name: string): void {
    for (const place of [...workloads, ...sources]) if (place.namespace === name) this.edits.delete(place);
    this.edits.do(`delete namespace ${name}`, async (context) => {
      const { registry, store } = this.#server;
      const { object, gone } = await registry.delete(context, namespaceKind, undefined, name, {});
      if (!gone) store.remove(namespaceKind, object, context);
    });
  }

  createNamespace(name: string, draw: Draw): void {
    const labels = this.#labelling.ofNamespace() ?? {};
    this.edits.do(`create namespace ${name}`, async (context) => {
      await this.#server.registry.create(context, namespaceKind, undefined, namespace(name, { labels }));
    });
    for (const source of sources) if (source.namespace === name) this.createSource(source, undefined, draw);
    for (const workload of workloads) if (workload.namespace === name) this.createWorkload(workload, draw);
  }

  object(place: Place): KubeObject | undefined {
    return this.edits.object(place);
  }

  #manifest(workload: Place): Manifest {
    return (
      this.#manifests.get(workload) ?? {
        annotations: {},
        uses: { env: [], envFrom: [], volumes: [], volumeMounts: [] },
        image: 1,
      }
    );
  }

  #newManifest(workload: Place, draw: Draw): Manifest {
    const annotations = this.#annotating.ofWorkload(draw.chance(0.85) ? { [autoAnnotation]: 'true' } : {});
    const manifest = { annotations, uses: this.#uses(draw, workload), image: draw.int(1, 9) };
    this.#manifests.set(workload, manifest);
    return manifest;
  }

  #uses(draw: Draw, { namespace: within }: Place): Uses {
    return this.#inForms.varied(this.#mounts.added(drawUses(draw, within), within), within);
  }

  #value({ kind }: Place): string {
    this.#values += 1;
    return `${kind === 'Secret' ? 'secret' : 'value'}-${this.#values}-`;
  }

  #fresh(source: Place, draw: Draw): Content {
    const keys = contentKeys.filter((_key, index) => index < 2 || draw.chance(0.3));
    const content = Object.fromEntries(keys.map((key) => [key, this.#value(source)]));
    this.#remember(source, content);
    return content;
  }

  #remember(source: Place, content: Content): void {
    this.#former.set(source, [...(this.#former.get(source) ?? []), content]);
  }

  #sourceObject({ kind, ...place }: Place, data: Content): ReturnType<typeof configMap> {
    const labels = this.#labelling.ofSource();
    const annotations = this.#annotating.ofSource();
    const options = { ...place, data, ...(labels && { labels }), ...(annotations && { annotations }) };
    return kind === 'Secret' ? secret(options) : configMap(options);
  }

  #workloadObject({ kind, ...place }: Place, manifest: Manifest): ReturnType<typeof deployment> {
    const make = makers[kind as keyof typeof makers];
    const { sidecars = [], ...uses } = manifest.uses;
    const options = { ...place, annotations: manifest.annotations, image: imageOf(manifest), ...uses };
    if (sidecars.length === 0) return make(options);
    const { env, envFrom, volumeMounts } = uses;
    return make({
      ...options,
      containers: [{ name: 'app', image: options.image, env, envFrom, volumeMounts }, ...sidecars],
    });
  }
}

function imageOf({ image }: Manifest): string {
  return `registry.example/app:${image}`;
}

function dataOf({ kind }: Place, content: Content): Content {
  if (kind !== 'Secret') return content;
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
