import {
  annotation,
  annotationsOf,
  defaultAnnotationKeys,
  ownAnnotations,
} from '../../shared/domain/annotations/annotations';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { readLintAnswer, type LintAnswer } from '../../shared/domain/protocol/lint-answer';
import { isWorthLinting } from '../../shared/domain/lint/lint-workload';
import { workloadQuestion } from '../../shared/domain/protocol/workload-question';
import { sleep, type Clock } from '../../shared/runtime/clock';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import type { ReconcilerClient } from '../channel/reconciler-client';
import { readsWarnings } from '../admission/warned-users';

export interface LintPluginOptions {
  readonly clock: Clock;
  readonly reconcilers: Pick<ReconcilerClient, 'query'>;
}

/** A person waits for the answer, and both queries must fit into the deadline of the review. */
const askMs = 150;

/** The reconciler's watch may be this far behind what the same `kubectl apply` has just stored; usually much less. */
const secondLookMs = 150;

/** Warns whoever writes a workload about annotations that do not do what they seem to expect. */
export function lintPlugin({ clock, reconcilers }: LintPluginOptions): AdmissionPlugin {
  const ask = async (question: object): Promise<LintAnswer['findings'] | undefined> =>
    readLintAnswer(await reconcilers.query(channelPaths.lint, question, askMs))?.findings;
  return {
    name: 'lint',
    wants: (request) => isWrittenWorkload(request) && readsWarnings(request) && !isSwitchedOff(request),
    answer: async ({ kind, namespace, operation, object, oldObject }) => {
      if (namespace === undefined) return {};
      const { group } = kind;
      const write = { group, kind: kind.kind, namespace, object, ...(operation === 'UPDATE' && { oldObject }) };
      // The webhook does not know the reconcilers' flags, so it does not look for annotations that a flag renames.
      if (!isWorthLinting(write, defaultAnnotationKeys)) return {};
      const question = workloadQuestion(write, namespace, object);
      let findings = await ask(question);
      if (findings?.some(({ provisional }) => provisional)) {
        const certain = findings.filter(({ provisional }) => !provisional);
        await sleep(clock, secondLookMs);
        findings = (await ask(question)) ?? certain;
      }
      return findings ? { warnings: findings.map(({ message }) => message) } : {};
    },
  };
}

/**
 * Any kind that the webhook is registered for, except sources. The leader also warns about kinds that are never
 * restarted.
 */
function isWrittenWorkload({ kind, operation, subResource }: AdmissionRequest): boolean {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  return (subResource ?? '') === '' && !(kind.group === '' && ['ConfigMap', 'Secret'].includes(kind.kind));
}

function isSwitchedOff({ object }: AdmissionRequest): boolean {
  return annotation(annotationsOf(object), ownAnnotations.lint) === 'off';
}
