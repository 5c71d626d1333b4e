import {
  describeProblem,
  withoutFlag,
  type AnnotationProblem,
} from '../../shared/domain/annotations/annotation-problem';
import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { limitsRolling, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { sourceId, sourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { NamespaceLines } from '../../shared/runtime/log/namespace-lines';
import type { Metrics } from '../metrics/metrics';
import type { SourceChange } from '../sources/source-index';

export interface GateProblemsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'annotationProblemsTotal'>;
  /** Whether contents are kept and put back in this install. */
  readonly rollback: boolean;
  /** The sources of a namespace whose limit of what rolls at once counts. */
  readonly limitingIn: (namespace: string) => Iterable<SourceRef>;
}

/** Nobody reads more of one namespace, and a tenant may have thousands of sources. */
const maxLines = 20;

/**
 * Reports annotations of sources and namespaces that do not do what they seem to, for installs in which admission does
 * not: when an object is first seen, and when it says something else. All are counted, and some of each namespace are
 * logged.
 */
export class GateProblems {
  readonly #options: GateProblemsOptions;
  readonly #lines: NamespaceLines;

  constructor(options: GateProblemsOptions) {
    this.#options = options;
    const { clock, logger } = options;
    this.#lines = new NamespaceLines({ clock, logger, maxLines });
  }

  /** `title` names the object, such as `ConfigMap shop/app`; `before` is what it said when it was last seen. */
  seen(title: string, namespace: string, before: GateSettings | undefined, now: GateSettings | undefined): void {
    const problems = this.#problemsOf(now);
    if (problems.length === 0) return;
    const known = new Set(this.#problemsOf(before).map((problem) => describeProblem(title, problem)));
    for (const problem of problems) {
      const line = describeProblem(title, problem);
      if (!known.has(line)) this.#report(line, namespace);
    }
  }

  /** As {@link seen}, of a source. */
  seenSource(change: SourceChange): void {
    const { namespace, before, after } = change;
    // Called for each source of a first list, and few have gates.
    if (!after?.gates) return;
    const title = sourceKey(change);
    this.seen(title, namespace, before?.gates, after.gates);
    if (!limitsRolling(after.gates) || limitsRolling(before?.gates)) return;
    const id = sourceId(change);
    for (const source of this.#options.limitingIn(namespace)) if (sourceId(source) === id) return;
    const message = `has no effect: only ${String(budgets.limitingSources)} sources of a namespace may have it`;
    const fix = 'remove it from others, or set it on the namespace';
    const key = gateAnnotations.maxRolling;
    this.#report(describeProblem(title, { code: 'over-budget', key, value: undefined, message, fix }), namespace);
  }

  #report(line: string, namespace: string): void {
    this.#options.metrics.annotationProblemsTotal.inc();
    this.#lines.warn(line, namespace, { namespace });
  }

  #problemsOf({ problems = [], onFailure = 'stop' }: GateSettings = {}): readonly AnnotationProblem[] {
    if (this.#options.rollback || onFailure === 'stop') return problems;
    return [...problems, withoutFlag(gateAnnotations.onFailure, onFailure, '--rollback')];
  }
}
