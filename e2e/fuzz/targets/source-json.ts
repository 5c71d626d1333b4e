import { attempt, isHandy, jsonOf, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { isObject, objectOf } from '../../../shared/domain/kubernetes/json-value';
import { isOlderVersion, versionBefore } from '../../../shared/domain/kubernetes/resource-version';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import { sourceDecoders } from '../../../shared/kube/sources/source-decoder';
import { checkedContent } from '../../../webhook/plugins/checked-content';
import { digester, json, markedValue, sampleConfigMap, sampleSecret } from '../samples';

const decoders = sourceDecoders(digester, defaultAnnotationKeys);

/** A Secret or ConfigMap in JSON. */
export const target: Target = {
  seeds: [json(sampleSecret), json(sampleConfigMap)],
  maxBytes: 256 * 1024,
  run: (input) => {
    const object = marked(jsonOf(input));
    for (const kind of isHandy(input) ? (['ConfigMap', 'Secret'] as const) : (['Secret'] as const)) {
      const decoded = attempt(() => decoders[kind].fromJson(object), MalformedObjectError);
      attempt(() => decoders[kind].metadata.fromJson(object), MalformedObjectError);
      attempt(() => checkedContent(kind, object), MalformedObjectError);
      if (!decoded) continue;
      requireFitToShow(decoded.object.content.whole());
      versionBefore(decoded.resourceVersion);
      isOlderVersion(decoded.resourceVersion, '12');
    }
  },
};

/** Replaces each value with the marker. Values must not be shown, wherever they end up; keys may be. */
function marked(object: unknown): unknown {
  const { data } = objectOf(object);
  if (!isObject(data)) return object;
  const values = Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? markedValue : value]);
  return { ...objectOf(object), data: Object.fromEntries(values) };
}
