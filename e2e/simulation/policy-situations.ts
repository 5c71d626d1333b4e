import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { recordedOf } from './baseline-text';
import { decodedData, sameContent, type SourceName } from './contents';
import { isOfEngine, isOfWorkload, type EngineWrite } from './lives';
import type { PolicyFeatures } from './policy-features';
import { flagsOf } from './source-flags';
import { asksForRestarts, templateOf, usageOf } from './usage';
import { isPattern, wishesOf } from './wishes';

/** Situations that a batch of worlds must reach in which more than `auto` decides about restarts. */
export const policySituations = [
  'a source was edited while it was ignored, and then heeded',
  'a source was recorded for the first time after it had been edited while it was ignored',
  'a workload was restarted for a source that had been ignored',
  'a workload that said nothing was restarted, because all are',
  'a workload that had opted out was opted in by a removal and restarted later',
  'a workload was restarted for a source that only a pattern names',
  'a workload that searches was restarted for a source that matches',
  'a workload was restarted for a source that came to match after an edit',
  'a workload that asks for one kind of sources was restarted',
  'a source was edited that its user excludes',
] as const;
export type PolicySituation = (typeof policySituations)[number];

/** Notes which of these situations a world reaches. */
export class PolicySituations {
  readonly #features: PolicyFeatures;
  readonly #reached = new Set<PolicySituation>();
  readonly #editedUnheard = new Set<SourceName>();
  readonly #heeded = new Set<SourceName>();
  readonly #cameToMatch = new Set<SourceName>();
  /** The uids of workloads. */
  readonly #optedIn = new Set<string>();
  /** By workload uid: the sources that the workload excludes. */
  readonly #excluded = new Map<string, ReadonlySet<SourceName>>();

  constructor(features: PolicyFeatures) {
    this.#features = features;
  }

  get reached(): ReadonlySet<PolicySituation> {
    return this.#reached;
  }

  written(write: WriteRecord): void {
    const { ignores, autoReloadAll, wishes } = this.#features;
    if (!ignores && !autoReloadAll && !wishes) return;
    const { kind } = write;
    if (kind.kind === 'ConfigMap' || kind.kind === 'Secret') this.#sourceWritten(write);
    if (!isOfWorkload(write)) return;
    if (isOfEngine(write)) this.#recorded(write);
    else this.#workloadWritten(write);
  }

  #sourceWritten({ kind, key, object, previous, type }: WriteRecord): void {
    if (previous === undefined || type === 'DELETED') return;
    const source = `${kind.kind} ${key}`;
    const [was, is] = [flagsOf(previous), flagsOf(object)];
    if (!sameContent(decodedData(previous), decodedData(object))) {
      if (is.ignored || (this.#features.wishes && !is.matches)) this.#editedUnheard.add(source);
      const isExcluded = [...this.#excluded.values()].some((excluded) => excluded.has(source));
      if (isExcluded) this.#reached.add('a source was edited that its user excludes');
    }
    if (!this.#editedUnheard.has(source)) return;
    if (!was.matches && is.matches) this.#cameToMatch.add(source);
    if (!was.ignored || is.ignored) return;
    this.#heeded.add(source);
    this.#reached.add('a source was edited while it was ignored, and then heeded');
  }

  #workloadWritten({ object, previous, type }: WriteRecord): void {
    const { uid, namespace = '' } = object.metadata;
    const excluded = wishesOf(object, false).flatMap((wish) =>
      wish.excluded.map((name) => `${wish.kind} ${namespace}/${name}`),
    );
    this.#excluded.set(uid, new Set(type === 'DELETED' ? [] : excluded));
    const asked = [previous, object].map((each) => each !== undefined && asksForRestarts(each, true));
    const isAsked = asksForRestarts(object);
    if (this.#features.autoReloadAll && previous && !asked[0] && asked[1] && !isAsked) this.#optedIn.add(uid);
  }

  #recorded({ object, previous }: EngineWrite): void {
    const { uid } = object.metadata;
    const before = recordedOf(previous);
    const changed = [...recordedOf(object)].filter(([source, entry]) => before.get(source) !== entry);
    if (templateOf(previous) === templateOf(object)) {
      const isFirst = changed.some(([source]) => this.#heeded.has(source) && !before.has(source));
      if (isFirst)
        this.#reached.add('a source was recorded for the first time after it had been edited while it was ignored');
      return;
    }
    if (this.#features.autoReloadAll && !asksForRestarts(object)) {
      this.#reached.add('a workload that said nothing was restarted, because all are');
    }
    if (this.#optedIn.has(uid)) {
      this.#reached.add('a workload that had opted out was opted in by a removal and restarted later');
    }
    for (const [source] of changed) {
      if (!before.has(source)) continue;
      if (this.#heeded.has(source)) this.#reached.add('a workload was restarted for a source that had been ignored');
      this.#restartedFor(source, object);
    }
  }

  #restartedFor(source: SourceName, object: KubeObject): void {
    const use = usageOf(object, this.#features.autoReloadAll).get(source);
    if (use?.ifMatched) {
      this.#reached.add('a workload that searches was restarted for a source that matches');
      if (this.#cameToMatch.has(source)) {
        this.#reached.add('a workload was restarted for a source that came to match after an edit');
      }
    }
    const wishes = wishesOf(object, this.#features.autoReloadAll);
    const own = wishes.find(({ kind }) => source.startsWith(`${kind} `));
    if (own?.isAuto && wishes.some(({ isAuto }) => !isAuto)) {
      this.#reached.add('a workload that asks for one kind of sources was restarted');
    }
    const isByPattern = own?.named.some(isPattern) && !own.isAuto && !own.named.includes(source.split('/')[1] ?? '');
    if (isByPattern) this.#reached.add('a workload was restarted for a source that only a pattern names');
  }
}
