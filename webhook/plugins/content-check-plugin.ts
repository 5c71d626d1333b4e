import { describeProblem } from '../../shared/domain/annotations/annotation-problem';
import { annotation, annotationsOf } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { errorMessage } from '../../shared/domain/errors';
import {
  checkAnnotations,
  checkSettings,
  type CheckMode,
  type CheckSettings,
} from '../../shared/domain/content-check/check-settings';
import type { KubeClient } from '../../shared/kube/client/client';
import { KubeError } from '../../shared/kube/errors';
import { metadataFromJson } from '../../shared/kube/wire/object-metadata';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { NamespaceLines } from '../../shared/runtime/log/namespace-lines';
import { sourceKey } from '../../shared/domain/sources/source';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin, PluginAnswer } from '../admission/admission-plugins';
import { isOversized } from '../admission/written-source';
import { capturedKind } from './capture-change';
import { checkedContent, type CheckedContent } from './checked-content';
import { ContentChecker, type CheckReport, type CheckedWrite, type Finding } from './content-checker';
import type { WebhookMetrics } from '../metrics';
import { SchemaReader } from './schema-reader';
import type { TimeLimit } from '../../shared/runtime/time-limit';

export interface ContentCheckOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** Modes of namespaces, for sources without an annotation. */
  readonly namespaces: ReadonlyMap<string, CheckMode>;
  /** Time limit for all checks of a write. */
  readonly withinMs?: number;
  /** Stops a parser that takes too long. */
  readonly withinTime?: TimeLimit;
}

/** Faults listed in a denial, and reasons in a line of the log; the others are only counted. A source has thousands of keys. */
const maxLines = 8;

/** Lines of one namespace within an hour: whoever may write a source may write one that cannot be checked again and again. */
const maxNamespaceLines = 100;

/** Less than the deadline of a review, after which the review is answered without plugins. */
const defaultWithinMs = 400;

/** Checks the content of sources that opt in, or whose namespace is configured. No other plugin can deny a write. */
export function contentCheckPlugin({
  client,
  clock,
  logger,
  metrics,
  namespaces,
  withinMs = defaultWithinMs,
  withinTime,
}: ContentCheckOptions): AdmissionPlugin {
  const checker = new ContentChecker(clock, new SchemaReader(clock, client), withinTime);
  const lines = new NamespaceLines({ clock, logger, maxLines: maxNamespaceLines });
  const settingsOf = (request: AdmissionRequest) =>
    checkSettings(annotationsOf(request.object), namespaces.get(request.namespace ?? ''));
  return {
    name: 'content-check',
    wants: (request) => capturedKind(request) !== undefined && settingsOf(request) !== undefined,
    answer: async (request) => {
      const settings = settingsOf(request);
      const isRead = !isOversized(request);
      const write = settings && checkedWrite(request, isRead);
      if (!write) return {};
      const report = isRead ? await checker.check(write, settings, withinMs) : tooManyKeys;
      const answer = answerTo(write, report, settings);
      const result = answer.denied ? 'denied' : report.findings.length > 0 ? 'warned' : 'passed';
      metrics.contentChecksTotal.inc({ result });
      for (const { reason } of report.unchecked) metrics.uncheckedTotal.inc({ reason });
      metrics.uncheckedTotal.inc({ reason: 'annotation' }, settings.problems.length);
      if (report.unchecked.length > 0) {
        lines.warn('content is not checked in full', write.namespace, {
          source: write.source,
          because: fewLines(report.unchecked.map(({ line }) => line)),
          error: report.unchecked.flatMap(({ cause }) => (cause instanceof KubeError ? errorMessage(cause) : [])),
        });
      }
      return answer;
    },
  };
}

const noContent: CheckedContent = { bytes: 0, keys: new Set(), texts: new Map() };

/** Reading each of them would hold up all other reviews. */
const tooManyKeys: CheckReport = {
  findings: [],
  unchecked: [{ line: `it is not checked: it has more than ${budgets.sourceKeysRead} keys`, reason: 'too_large' }],
};

/**
 * Undefined if there is nothing to check: neither the content nor its check annotations have changed. A source that is too
 * large to be read counts as changed.
 */
function checkedWrite(request: AdmissionRequest, isRead: boolean): CheckedWrite | undefined {
  const kind = capturedKind(request);
  if (kind === undefined) return undefined;
  const after = isRead ? checkedContent(kind, request.object) : noContent;
  const before = isRead && request.operation === 'UPDATE' ? checkedContent(kind, request.oldObject) : undefined;
  if (before && isSame(before, after) && isAskedTheSame(request)) return undefined;
  const metadata = metadataFromJson(request.object);
  const namespace = request.namespace ?? metadata.namespace;
  // The name may be empty until the server has generated it.
  const name = metadata.name || (request.name ?? '');
  return { namespace, source: sourceKey({ kind, namespace, name }), after, before };
}

function isSame(before: CheckedContent, after: CheckedContent): boolean {
  return (
    before.bytes === after.bytes &&
    before.keys.size === after.keys.size &&
    [...after.keys].every((key) => before.keys.has(key)) &&
    [...after.texts].every(([key, value]) => before.texts.get(key)?.equals(value) === true)
  );
}

function isAskedTheSame({ object, oldObject }: AdmissionRequest): boolean {
  const [before, after] = [annotationsOf(oldObject), annotationsOf(object)];
  return checkAnnotations.every((key) => annotation(before, key) === annotation(after, key));
}

function answerTo(
  { source }: CheckedWrite,
  { findings, unchecked }: CheckReport,
  { mode, problems }: CheckSettings,
): PluginAnswer {
  // A write may have tens of thousands of findings, so none is looked up in a list.
  const isDenying = ({ isOld }: Finding): boolean => mode === 'deny' && !isOld;
  const denying = findings.filter(isDenying);
  const warning = findings.filter((finding) => !isDenying(finding));
  const warnings = [
    ...[...warning, ...unchecked].map(({ line }) => `${source}: ${line}`),
    ...problems.map((problem) => describeProblem(source, problem)),
  ];
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(denying.length > 0 && {
      denied: {
        message: `${source}: ${fewLines(denying.map(({ line }) => line)).join('; ')}`,
        reason: 'Invalid',
        code: 422,
      },
    }),
  };
}

function fewLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `and ${lines.length - maxLines + 1} more`];
}
