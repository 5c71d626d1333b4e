import { annotation, annotationsOf, sourceAnnotations } from '../../shared/domain/annotations/annotations';
import { gateAnnotationKeys } from '../../shared/domain/gate-settings/gate-settings';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import {
  describePreview,
  maxGateTextLength,
  parsePreviewAnswer,
  updateOf,
  type PreviewQuestion,
} from '../../shared/domain/protocol/preview';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import { capturedKind } from './capture-change';
import type { ReconcilerClient } from '../channel/reconciler-client';
import { readsWarnings } from '../admission/warned-users';
import { comparedDigestOf, digestBefore, isOversized, isUnchanged, writtenSource } from '../admission/written-source';

export interface PreviewPluginOptions {
  readonly reconcilers: Pick<ReconcilerClient, 'query' | 'canQuery'>;
  /** Undefined until the digest key is known. */
  readonly digester: () => ContentDigester | undefined;
}

/** A person waits for the answer, so a preview that takes longer is left out. */
const askMs = 250;

/** Warns whoever writes a source what that will restart or, with `--dry-run=server`, would restart. */
export function previewPlugin({ reconcilers, digester: currentDigester }: PreviewPluginOptions): AdmissionPlugin {
  return {
    name: 'preview',
    wants: (request) => capturedKind(request) !== undefined && readsWarnings(request) && !isSwitchedOff(request),
    answer: async (request) => {
      const kind = reconcilers.canQuery(channelPaths.preview) ? capturedKind(request) : undefined;
      const digester = currentDigester();
      const question = kind && digester && questionOf(request, kind, digester);
      if (!question) return {};
      const answer = await reconcilers.query(channelPaths.preview, question, askMs);
      const warning = answer === undefined ? undefined : describePreview(parsePreviewAnswer(answer));
      return warning === undefined ? {} : { warnings: [warning] };
    },
  };
}

/** Undefined if nothing changes, or the source has no name yet or is too large. */
function questionOf(
  request: AdmissionRequest,
  kind: PreviewQuestion['kind'],
  digester: ContentDigester,
): PreviewQuestion | undefined {
  const { object } = request;
  const isUpdate = request.operation === 'UPDATE';
  if (isOversized(request)) return undefined;
  const source = writtenSource(request, kind);
  const { namespace, name, uid } = source;
  if (!name || (isUpdate && (!uid || isUnchanged(source)))) return undefined;
  const annotations = Object.entries(textsOf(object, 'annotations'));
  return {
    ...{ v: 2, keyId: digester.keyId, kind, namespace, name },
    labels: textsOf(object, 'labels'),
    switchedOn: annotations.flatMap(([key, value]) => (value === 'true' ? [key] : [])),
    gates: Object.fromEntries(
      annotations
        .filter(([key]) => gateAnnotationKeys.includes(key))
        .map(([key, value]) => [key, value.slice(0, maxGateTextLength)]),
    ),
    ...(isUpdate && { update: updateOf(uid, digestBefore(source, digester), comparedDigestOf(source, digester)) }),
  };
}

function isSwitchedOff({ object }: AdmissionRequest): boolean {
  return annotation(annotationsOf(object), sourceAnnotations.preview) === 'off';
}

function textsOf(object: unknown, field: 'labels' | 'annotations'): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(fieldAt(object, ['metadata', field])));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
