import {
  describeProblem,
  withoutFlag,
  type AnnotationProblem,
} from '../../shared/domain/annotations/annotation-problem';
import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Metrics } from '../metrics/metrics';

export interface GateProblemsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'annotationProblemsTotal'>;
  /** Whether contents are kept and put back in this install. */
  readonly rollback: boolean;
}

/** Nobody reads more of one namespace, and a tenant may have thousands of sources. */
const maxLines = 20;
const perMs = 3_600_000;

/**
 * Reports annotations of sources and namespaces that do not do what they seem to, for installs in which admission does
 * not: when an object is first seen, and when it says something else. All are counted, and some of each namespace are
 * logged.
 */
export class GateProblems {
  readonly #options: GateProblemsOptions;
  /** The lines about each namespace since `#sinceMs`. */
  readonly #lines = new Map<string, number>();
  #sinceMs = -Infinity;

  constructor(options: GateProblemsOptions) {
    this.#options = options;
  }

  /** `title` names the object, such as `ConfigMap shop/app`; `before` is what it said when it was last seen. */
  seen(title: string, namespace: string, before: GateSettings | undefined, now: GateSettings | undefined): void {
    const problems = this.#problemsOf(now);
    if (problems.length === 0) return;
    const known = new Set(this.#problemsOf(before).map((problem) => describeProblem(title, problem)));
    for (const problem of problems) {
      const line = describeProblem(title, problem);
      if (known.has(line)) continue;
      this.#options.metrics.annotationProblemsTotal.inc();
      this.#log(line, namespace);
    }
  }

  #problemsOf({ problems = [], onFailure = 'stop' }: GateSettings = {}): readonly AnnotationProblem[] {
    if (this.#options.rollback || onFailure === 'stop') return problems;
    return [...problems, withoutFlag(gateAnnotations.onFailure, onFailure, '--rollback')];
  }

  #log(line: string, namespace: string): void {
    const { clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#sinceMs >= perMs) {
      this.#lines.clear();
      this.#sinceMs = nowMs;
    }
    const lines = (this.#lines.get(namespace) ?? 0) + 1;
    this.#lines.set(namespace, lines);
    if (lines > maxLines) return;
    const isLast = lines === maxLines;
    logger.warn(isLast ? `${line} (and no more of namespace ${namespace} for an hour)` : line, { namespace });
  }
}
