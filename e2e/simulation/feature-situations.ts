import type { WriteRecord } from '../apiserver/store';
import { recordedOf } from './baseline-text';
import { decodedData, sameContent, type Content } from './contents';
import type { Features } from './features';
import { isOfEngine, isOfWorkload, type EngineWrite } from './lives';
import { endsPause, pauseOf } from './pause-text';
import { policySituations, PolicySituations } from './policy-situations';
import { isSelectedSource, SelectedNamespaces } from './selection';
import { templateOf } from './usage';

/** The situations that the worlds of a batch whose installs use more than the defaults must reach. */
export const featureSituations = [
  'a Deployment was paused, and resumed in its time',
  'a Deployment was resumed by another process than had paused it',
  'a person resumed a Deployment that was held, and it stayed so',
  'a Deployment was changed again while it was held',
  'a Deployment that a person had paused was changed and left paused',
  'a workload was restarted because a source came',
  'a workload was restarted because a source went',
  'a source left the selection, was changed, and came back',
  'a workload was restarted for a source that came back into the selection',
  'a namespace lost its label while a change was owed',
  'a namespace gained its label while a change was owed',
  'a workload was restarted after its namespace had gained its label',
  'a Deployment was resumed in a namespace that had lost its label',
  'a source changed in a namespace that is left out by its name',
  'a namespace was taken in by the loss of a label after something in it had changed',
  'a workload was restarted after its namespace had lost a label that left it out',
  'a source came back by the loss of a label after it was changed',
  ...policySituations,
] as const;
export type FeatureSituation = (typeof featureSituations)[number];

/** For this long after a change, its restart is still to come. */
const settlingMs = 1_000;

/** Notes which of these situations a world reaches. */
export class FeatureSituations {
  readonly #features: Features;
  readonly #namespaces: SelectedNamespaces;
  readonly #policies: PolicySituations;
  readonly #reached = new Set<FeatureSituation>();
  /** The user that paused each Deployment, by the Deployment's uid. */
  readonly #heldBy = new Map<string, string>();
  /** What sources held when they left the selection. */
  readonly #left = new Map<string, Content>();
  readonly #cameBack = new Set<string>();
  /** When a source last changed, by namespace. */
  readonly #changedMs = new Map<string, number>();

  constructor(features: Features) {
    this.#features = features;
    this.#namespaces = new SelectedNamespaces(features);
    this.#policies = new PolicySituations(features);
  }

  get reached(): ReadonlySet<FeatureSituation> {
    return new Set([...this.#reached, ...this.#policies.reached]);
  }

  written(write: WriteRecord): void {
    this.#policies.written(write);
    const { kind, object } = write;
    if (kind.kind === 'Namespace') this.#namespaceWritten(write);
    if (kind.kind === 'ConfigMap' || kind.kind === 'Secret') this.#sourceWritten(write);
    if (!isOfWorkload(write)) return;
    if (endsPause(write)) this.#pauseEnded(write);
    if (!isOfEngine(write) || templateOf(write.previous) === templateOf(object)) return;
    this.#restarted(write);
    if (object.kind === 'Deployment') this.#deploymentChanged(write);
  }

  #pauseEnded({ object, previous, user }: WriteRecord): void {
    const { uid, namespace = '' } = object.metadata;
    const wasPaused = previous !== undefined && pauseOf(previous).paused;
    if (!wasPaused) this.#reached.add('a person resumed a Deployment that was held, and it stayed so');
    else if (this.#heldBy.get(uid) === user) this.#reached.add('a Deployment was paused, and resumed in its time');
    else this.#reached.add('a Deployment was resumed by another process than had paused it');
    if (wasPaused && this.#features.selectsNamespaces && !this.#namespaces.isSelected(namespace)) {
      this.#reached.add('a Deployment was resumed in a namespace that had lost its label');
    }
  }

  #deploymentChanged({ object, previous, user }: EngineWrite): void {
    const before = pauseOf(previous);
    if (before.paused) {
      const isOurs = before.pausedAt !== undefined;
      if (isOurs) this.#reached.add('a Deployment was changed again while it was held');
      else this.#reached.add('a Deployment that a person had paused was changed and left paused');
    } else if (pauseOf(object).pausedAt !== undefined) this.#heldBy.set(object.metadata.uid, user);
  }

  #restarted({ object, previous, atMs }: EngineWrite): void {
    const before = recordedOf(previous);
    for (const [source, entry] of recordedOf(object)) {
      const former = before.get(source);
      if (former === undefined || former === entry) continue;
      const { reloadOnCreate, reloadOnDelete } = this.#features;
      if (reloadOnCreate && former === '-') this.#reached.add('a workload was restarted because a source came');
      if (reloadOnDelete && entry === '-') this.#reached.add('a workload was restarted because a source went');
      if (former !== '-' && entry !== '-' && this.#cameBack.has(source)) {
        this.#reached.add('a workload was restarted for a source that came back into the selection');
      }
    }
    const gained = this.#namespaces.gained(object.metadata.namespace ?? '');
    const gainedMs = gained?.atMs ?? Infinity;
    if (gained?.isRemoval && this.#features.leavesOutNamespaces) {
      this.#reached.add('a workload was restarted after its namespace had lost a label that left it out');
    }
    if (atMs - gainedMs < 15 * settlingMs) {
      this.#reached.add('a workload was restarted after its namespace had gained its label');
    }
  }

  #sourceWritten({ kind, key, object, previous, type, atMs }: WriteRecord): void {
    const { namespace = '' } = object.metadata;
    this.#changedMs.set(namespace, atMs);
    if (this.#features.namespacesToIgnore.includes(namespace) && type === 'MODIFIED') {
      this.#reached.add('a source changed in a namespace that is left out by its name');
    }
    const source = `${kind.kind} ${key}`;
    const was = previous !== undefined && isSelectedSource(previous, this.#features);
    const is = type !== 'DELETED' && isSelectedSource(object, this.#features);
    if (was && !is && type === 'MODIFIED') this.#left.set(source, decodedData(previous));
    const then = this.#left.get(source);
    if (was || !is || then === undefined || sameContent(then, decodedData(object))) return;
    this.#cameBack.add(source);
    if (this.#features.leavesOutSources) {
      this.#reached.add('a source came back by the loss of a label after it was changed');
    }
    this.#reached.add('a source left the selection, was changed, and came back');
  }

  #namespaceWritten(write: WriteRecord): void {
    const { name } = write.object.metadata;
    const was = this.#namespaces.isSelected(name);
    const leftMs = this.#namespaces.leftOutSinceMs(name) ?? Infinity;
    this.#namespaces.add(write);
    const is = this.#namespaces.isSelected(name);
    const changedMs = this.#changedMs.get(name) ?? -Infinity;
    if (was && !is && write.atMs - changedMs < settlingMs) {
      this.#reached.add('a namespace lost its label while a change was owed');
    }
    if (!was && is && leftMs > 0 && changedMs > leftMs) {
      this.#reached.add('a namespace gained its label while a change was owed');
      if (this.#namespaces.gained(name)?.isRemoval) {
        this.#reached.add('a namespace was taken in by the loss of a label after something in it had changed');
      }
    }
  }
}
