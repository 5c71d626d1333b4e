import {
  annotation,
  annotationsOf,
  defaultAnnotationKeys,
  ownAnnotations,
} from '../../shared/domain/annotations/annotations';
import { bearerProblems } from '../../shared/domain/gate-settings/bearer-gates';
import { findingsOf } from '../../shared/domain/lint/lint-workload';
import { sourceKey } from '../../shared/domain/sources/source';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import { readsWarnings } from '../admission/warned-users';
import { capturedKind } from './capture-change';

/**
 * Warns whoever writes a source about annotations there that do not do what they seem to. The webhook does not know the
 * reconcilers' flags, so it takes a key that a flag renames for somebody else's.
 */
export function sourceAnnotationsPlugin(): AdmissionPlugin {
  return {
    name: 'source-annotations',
    wants: (request) =>
      capturedKind(request) !== undefined &&
      readsWarnings(request) &&
      annotation(annotationsOf(request.object), ownAnnotations.lint) !== 'off' &&
      warningsFor(request).length > 0,
    answer: async (request) => await Promise.resolve({ warnings: warningsFor(request) }),
  };
}

function warningsFor(request: AdmissionRequest): readonly string[] {
  const kind = capturedKind(request);
  if (kind === undefined) return [];
  const { namespace = '', name = '', object } = request;
  const problems = bearerProblems(annotationsOf(object), 'source', defaultAnnotationKeys);
  return findingsOf(sourceKey({ kind, namespace, name }), problems).map(({ message }) => message);
}
