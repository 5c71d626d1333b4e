import { detailed, type Recorded, type RecordedDigests } from '../../shared/domain/baseline/recorded';
import { absent, type ContentDigest } from '../../shared/domain/sources/content-digest';
import { readGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { deferralIn, deferralOf } from '../../shared/domain/gates/reported-gates';
import { budgets } from '../../shared/domain/budgets';
import { optedIn } from '../../shared/domain/policy/policy';
import {
  contentOf,
  maxPreviewKeys,
  maxPreviewNames,
  type PreviewAnswer,
  type PreviewQuestion,
} from '../../shared/domain/protocol/preview';
import { hasContent, sourceId, sourceKey, type SourceRecord, type SourceRef } from '../../shared/domain/sources/source';
import type { SourceAnnotationKeys } from '../../shared/kube/sources/source-decoder';
import type { Clock } from '../../shared/runtime/clock';
import type { PlanInput } from '../../shared/domain/plan/plan-input';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { judge } from '../../shared/domain/plan/judge';
import { whyOf } from '../../shared/domain/plan/describe-change';
import type { WorkloadGates } from '../gates/workload-gates';
import { TokenBucket } from '../queue/token-bucket';
import type { NamespaceScope } from '../workloads/namespace-scope';
import type { PlanView } from '../worker/plan-view';

export interface PreviewsOptions extends PlanView {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly annotationKeys: SourceAnnotationKeys;
  readonly scope: Pick<NamespaceScope, 'isSelected'>;
  readonly gates: WorkloadGates;
}

type Outlook = { readonly keys: readonly string[] } | { readonly because: string };

const nothing: PreviewAnswer = { v: 1, restarts: [], left: [], moreRestarts: 0, moreLeft: 0 };

/**
 * Predicts what a write would restart, with the same comparison that decides on restarts. It keeps and writes nothing.
 *
 * The proposed content is compared only with content that the caller has proved to know. Otherwise a user could guess
 * the content of a Secret key by key. It is not compared with stored content whose digest the question does not
 * contain, nor with past content that only the index or a baseline still knows.
 */
export class Previews {
  readonly #options: PreviewsOptions;
  readonly #users: TokenBucket;

  constructor(options: PreviewsOptions) {
    this.#options = options;
    const perSecond = budgets.previewedUsersPerSecond;
    this.#users = new TokenBucket(options.clock, { perSecond, burst: perSecond });
  }

  /** Undefined if this process cannot answer: it does not lead, or digests under another key. */
  answer(question: PreviewQuestion): PreviewAnswer | undefined {
    const { workloads, keys, settings, scope, term, knownKinds, sources, isNamed, clock } = this.#options;
    const { kind, namespace, labels } = question;
    const currentTerm = term();
    if (!currentTerm || question.keyId !== keys.keyId) return undefined;
    const users = workloads.usersOf(question);
    // Nothing is known of a namespace that is not watched, and nothing there is restarted.
    if (users.length === 0) return nothing;
    const kinds = knownKinds(namespace);
    if (!kinds.has(kind)) return undefined;
    const shown = this.#shownBy(question);
    if (shown === 'not-shown' || !scope.isSelected(namespace) || !settings.sourceSelector.matches(labels)) {
      return nothing;
    }
    // Whoever may write a source may have thousands of users of it previewed again and again, and restarts would wait.
    if (users.length > budgets.previewedUsers || !this.#users.take(users.length)) return nothing;
    const known = { settings, isNamed, keyId: keys.keyId, knownKinds: kinds, term: currentTerm };
    const proposed = this.#with(this.#proposed(question), shown);
    const outlooks = users
      .filter(({ record }) => optedIn(record.policy, settings.policy))
      .flatMap((workload) => {
        const isComparable = holdsNoMoreThan(shown, workload.baseline?.sources.get(sourceId(question)));
        const verdict = verdictOf({ ...known, workload, sources: isComparable ? proposed : sources }, question);
        const outlook = isComparable ? outlookOf(verdict) : outlookAnyway(verdict);
        const title = `${workload.record.kind.toLowerCase()}/${workload.record.name}`;
        return outlook ? [{ tracked: workload, workload: title, ...outlook }] : [];
      })
      .sort((left, right) => (left.workload < right.workload ? -1 : 1));
    const restarts = outlooks.flatMap((outlook) => ('keys' in outlook ? [outlook] : []));
    const left = outlooks.flatMap((outlook) => ('because' in outlook ? [outlook] : []));
    const gates = this.#options.gates.withSources(proposed);
    const nowMs = clock.nowMs();
    const restarting = restarts.map(({ tracked }) => tracked);
    const turnOf = gates.turns(question, users, restarting, nowMs);
    return {
      v: 1,
      restarts: restarts.slice(0, maxPreviewNames).map(({ tracked, workload, keys: changed }) => {
        const turn = turnOf(tracked);
        const deferred = deferralIn(gates.ask(tracked, [question], nowMs)) ?? (turn && deferralOf(turn));
        const moreKeys = changed.length - maxPreviewKeys;
        return {
          ...{ workload, keys: changed.slice(0, maxPreviewKeys) },
          ...(moreKeys > 0 && { moreKeys }),
          ...(deferred && { deferred }),
        };
      }),
      left: left.slice(0, maxPreviewNames).map(({ workload, because }) => ({ workload, because })),
      moreRestarts: Math.max(0, restarts.length - maxPreviewNames),
      moreLeft: Math.max(0, left.length - maxPreviewNames),
    };
  }

  /** The stored content, if the caller has proved to know it. Undefined if there is none and none is claimed. */
  #shownBy(question: PreviewQuestion): ContentDigest | undefined | 'not-shown' {
    const { update } = question;
    const stored = this.#options.sources.get(question);
    if (!update) return stored ? 'not-shown' : undefined;
    const isShown =
      stored && hasContent(stored) && stored.uid === update.uid && stored.content.whole() === update.before;
    return isShown ? stored.content : 'not-shown';
  }

  #proposed(question: PreviewQuestion): SourceRecord {
    const { sources, clock, annotationKeys } = this.#options;
    const { kind, namespace, name, update, switchedOn } = question;
    const now = sources.get(question);
    const nowMs = clock.nowMs();
    const gates = question.gates ? readGateSettings(question.gates, 'source').settings : now?.gates;
    return {
      ...{ kind, namespace, name, uid: update?.uid ?? 'new', resourceVersion: now?.resourceVersion ?? '0' },
      createdAtMs: now?.createdAtMs ?? nowMs,
      writtenAtMs: nowMs,
      ignore: switchedOn.includes(annotationKeys.ignore),
      match: switchedOn.includes(annotationKeys.match),
      ...(gates && { gates }),
      content: contentOf(question),
    };
  }

  /** The index after the write, with no past content of the source but what the caller has proved to know. */
  #with(proposed: SourceRecord, shown: ContentDigest | undefined): PlanInput['sources'] {
    const { sources } = this.#options;
    const key = sourceKey(proposed);
    const isIt = (source: SourceRef): boolean => sourceKey(source) === key;
    return {
      get: (source) => (isIt(source) ? proposed : sources.get(source)),
      *namesIn(kind, namespace) {
        for (const name of sources.namesIn(kind, namespace)) if (!isIt({ kind, namespace, name })) yield name;
        if (kind === proposed.kind && namespace === proposed.namespace) yield proposed.name;
      },
      lastKnownFlags: (source) => sources.lastKnownFlags(source),
      admittedSinceMs: (source, bySearch) => sources.admittedSinceMs(source, bySearch),
      keysSinceMs: (source) => sources.keysSinceMs(source),
      inForceAt: (source, ...when) => (isIt(source) ? { content: shown } : sources.inForceAt(source, ...when)),
      heldAtBirth: (source, createdAtMs) =>
        isIt(source) ? { content: shown } : sources.heldAtBirth(source, createdAtMs),
      firstContent: (source) => (isIt(source) ? shown : sources.firstContent(source)),
      firstSeen: (source) => (isIt(source) ? shown : sources.firstSeen(source)),
      formerContent: (source, whole) => {
        if (!isIt(source)) return sources.formerContent(source, whole);
        return shown?.whole() === whole ? shown : undefined;
      },
    };
  }
}

/** Whether a comparison with a baseline reveals only content that the caller has proved to know. */
function holdsNoMoreThan(shown: ContentDigest | undefined, recorded: Recorded | undefined): boolean {
  if (recorded === undefined || recorded === absent) return true;
  if (!shown) return false;
  const { digests, parsed } = detailed(recorded);
  // What the caller knows but for white space and the like tells nothing more either.
  return isDigestOf(digests, shown) || (parsed !== undefined && isDigestOf(parsed, shown.parsed));
}

function isDigestOf(digests: RecordedDigests, content: ContentDigest | undefined): boolean {
  if (!content) return false;
  if (typeof digests === 'string') return digests === content.whole();
  return [...digests].every(([key, digest]) => digest === content.key(key));
}

/** Judged for this source alone: a namespace may have a thousand workloads whose patterns find a thousand others. */
function verdictOf(input: PlanInput, question: PreviewQuestion): Verdict | undefined {
  const { workload } = input;
  const candidate = workload.record.deleting ? undefined : candidateOf(question, workload);
  return candidate && judge(candidate, input);
}

function outlookOf(verdict: Verdict | undefined): Outlook {
  if (verdict?.comparison?.restart === true) return { keys: verdict.comparison.changedKeys ?? [] };
  return { because: verdict ? whyOf(verdict) : 'the workload does not use it' };
}

/**
 * The result that does not depend on the write, if any: the stored content already restarts the workload, or nothing
 * does.
 */
function outlookAnyway(verdict: Verdict | undefined): Outlook | undefined {
  if (verdict?.comparison) return verdict.comparison.restart ? { keys: [] } : undefined;
  return verdict?.needsContent ? undefined : outlookOf(verdict);
}
