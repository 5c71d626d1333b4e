import { optedIn } from '../shared/domain/policy';
import { contentOf, maxPreviewNames, type PreviewAnswer, type PreviewQuestion } from '../shared/domain/preview';
import { sourceId, type SourceRecord } from '../shared/domain/source';
import type { SourceAnnotationKeys } from '../shared/kube/source-decoder';
import type { Clock } from '../shared/runtime/clock';
import { plan, type PlanInput, type Verdict } from './plan';
import { whyOf } from './report';
import type { NamespaceScope } from './namespace-scope';
import type { PlanView } from './worker';

export interface PreviewsOptions extends PlanView {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly annotationKeys: SourceAnnotationKeys;
  readonly scope: Pick<NamespaceScope, 'isSelected'>;
}

/** What a preview says of one workload. */
type Outlook = { readonly keys: readonly string[] } | { readonly because: string };

/** Says what a change would restart, by the same comparison that restarts: nothing is kept, and nothing is done. */
export class Previews {
  readonly #options: PreviewsOptions;

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  /** Undefined where this process cannot tell: it does not lead, digests under another key, or has yet to read what was there. */
  answer(question: PreviewQuestion): PreviewAnswer | undefined {
    const { workloads, keys, settings, scope, term, knownKinds, isNamed } = this.#options;
    const { kind, namespace, name, labels } = question;
    const currentTerm = term();
    if (!currentTerm || question.keyId !== keys.keyId || !knownKinds().has(kind)) return undefined;
    const isAsked = scope.isSelected(namespace) && settings.sourceSelector.matches(labels);
    const users = isAsked ? workloads.usersOf(kind, namespace, name) : [];
    const known = {
      ...{ settings, isNamed, keyId: keys.keyId, knownKinds: knownKinds(), term: currentTerm },
      sources: this.#with(this.#proposed(question)),
    };
    const asking = users.filter(({ record }) => optedIn(record.policy, settings.policy));
    const verdicts = asking.map((workload) => [workload, verdictOf({ ...known, workload }, question)] as const);
    if (verdicts.some(([, verdict]) => verdict && isOpen(verdict))) return undefined;
    const outlooks = verdicts
      .map(([{ record }, verdict]) => ({
        workload: `${record.kind.toLowerCase()}/${record.name}`,
        ...outlookOf(verdict),
      }))
      .sort((left, right) => (left.workload < right.workload ? -1 : 1));
    const restarts = outlooks.flatMap((outlook) => ('keys' in outlook ? [outlook] : []));
    const left = outlooks.flatMap((outlook) => ('because' in outlook ? [outlook] : []));
    return {
      v: 1,
      restarts: restarts.slice(0, maxPreviewNames),
      left: left.slice(0, maxPreviewNames),
      moreRestarts: Math.max(0, restarts.length - maxPreviewNames),
      moreLeft: Math.max(0, left.length - maxPreviewNames),
    };
  }

  #proposed(question: PreviewQuestion): SourceRecord {
    const { sources, clock, annotationKeys } = this.#options;
    const { kind, namespace, name, uid, switchedOn } = question;
    const now = sources.get(kind, namespace, name);
    const nowMs = clock.nowMs();
    return {
      ...{ kind, namespace, name, uid: uid || 'new', resourceVersion: now?.resourceVersion ?? '0' },
      createdAtMs: now?.createdAtMs ?? nowMs,
      writtenAtMs: nowMs,
      ignore: switchedOn.includes(annotationKeys.ignore),
      match: switchedOn.includes(annotationKeys.match),
      content: contentOf(question),
    };
  }

  /** The index as it would be; what its sources were is as it was, and today's content is of the past by then. */
  #with(proposed: SourceRecord): PlanInput['sources'] {
    const { sources } = this.#options;
    const isIt = (kind: string, namespace: string, name: string): boolean =>
      kind === proposed.kind && namespace === proposed.namespace && name === proposed.name;
    return {
      get: (kind, namespace, name) => (isIt(kind, namespace, name) ? proposed : sources.get(kind, namespace, name)),
      *namesIn(kind, namespace) {
        for (const name of sources.namesIn(kind, namespace)) if (!isIt(kind, namespace, name)) yield name;
        if (kind === proposed.kind && namespace === proposed.namespace) yield proposed.name;
      },
      flagsOfGone: (kind, namespace, name) => sources.flagsOfGone(kind, namespace, name),
      inForceAt: (kind, namespace, name, sinceMs) => sources.inForceAt(kind, namespace, name, sinceMs),
      firstContent: (kind, namespace, name) => sources.firstContent(kind, namespace, name),
      formerContent: (kind, namespace, name, whole) => {
        const today = sources.get(kind, namespace, name)?.content;
        if (today === 'unread') return today;
        return today?.whole() === whole ? today : sources.formerContent(kind, namespace, name, whole);
      },
    };
  }
}

function verdictOf(input: PlanInput, { kind, name }: PreviewQuestion): Verdict | undefined {
  const id = sourceId(kind, name);
  return plan(input).verdicts.find((candidate) => candidate.id === id);
}

/** What a read has yet to tell is more than which keys have changed. */
function isOpen({ unread, comparison }: Verdict): boolean {
  return unread === true && comparison?.because !== 'content-changed';
}

function outlookOf(verdict: Verdict | undefined): Outlook {
  if (verdict?.comparison?.restart === true) return { keys: verdict.comparison.changedKeys ?? [] };
  return { because: verdict ? whyOf(verdict) : 'it does not use it' };
}
