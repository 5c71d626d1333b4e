import {
  arrayAt,
  isObject,
  objectAt,
  sameJson,
  stringAt,
  textOf,
  valueAt,
  type JsonObject,
  type JsonValue,
} from './json';
import { podSpecPath } from './defaulting';
import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';
import { matchesLabels } from './selectors';
import type { StatusCause } from './status';

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dataKey = /^[-._a-zA-Z0-9]+$/;
const qualifiedName =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const dataKeyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const immutableRule = 'field is immutable';
const immutableDataRule = 'field is immutable when `immutable` is set';

/** Limit for all annotations of an object together. */
const maxAnnotationBytes = 256 * 1024;

/** ConfigMaps and Secrets hold at most 1 MiB. */
const maxDataBytes = 1024 * 1024;

/** What is wrong with a new object or an update of `previous`, with the messages of the API's validation. */
export function validate(kind: ResourceKind, object: KubeObject, previous?: KubeObject): readonly StatusCause[] {
  const causes = previous === undefined ? validateMetadata(kind, object) : [];
  causes.push(...validateAnnotations(object));
  if (kind.custom) return causes;
  const podSpec = podSpecPath(kind);
  if (podSpec !== undefined) causes.push(...validatePodSpec(objectAt(object, ...podSpec), podSpec.join('.')));
  switch (kind.kind) {
    case 'ConfigMap':
    case 'Secret':
      causes.push(...validateData(object), ...(previous === undefined ? [] : validateDataUpdate(object, previous)));
      break;
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
      causes.push(...validateSelector(object), ...immutable(object, previous, 'selector'));
      break;
    case 'Job':
      causes.push(
        ...validateJobTemplate(object),
        ...immutable(object, previous, 'selector', 'template', 'completions'),
      );
      break;
    case 'Pod':
      if (previous !== undefined) causes.push(...validatePodUpdate(object, previous));
      break;
    default:
      break;
  }
  return causes;
}

function validateMetadata(kind: ResourceKind, { metadata }: KubeObject): StatusCause[] {
  const isLabel = kind.kind === 'Namespace' || kind.kind === 'CronJob' || kind.kind === 'StatefulSet';
  const valid = (isLabel ? label : subdomain).test(metadata.name) && metadata.name.length <= 253;
  return valid ? [] : [invalidValue('metadata.name', metadata.name, isLabel ? labelRule : subdomainRule)];
}

function validateAnnotations({ metadata }: KubeObject): readonly StatusCause[] {
  const entries = Object.entries(metadata.annotations ?? {});
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > maxAnnotationBytes) {
    const message = `Too long: may not be more than ${maxAnnotationBytes} bytes`;
    return [{ reason: 'FieldValueTooLong', field: 'metadata.annotations', message }];
  }
  const bad = entries.map(([key]) => key).filter((key) => !qualifiedName.test(key.toLowerCase()));
  return bad.map((key) =>
    invalidValue(
      'metadata.annotations',
      key,
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
  );
}

function validatePodSpec(spec: JsonObject, path: string): readonly StatusCause[] {
  const causes: StatusCause[] = [];
  if (arrayAt(spec, 'containers').length === 0) causes.push(required(`${path}.containers`));
  for (const list of ['containers', 'initContainers']) {
    arrayAt(spec, list).forEach((container, index) => {
      const at = `${path}.${list}[${index}]`;
      if (!stringAt(container, 'name')) causes.push(required(`${at}.name`));
      if (!stringAt(container, 'image')) causes.push(required(`${at}.image`));
      arrayAt(container, 'env').forEach((variable, position) => {
        const field = `${at}.env[${position}]`;
        if (!stringAt(variable, 'name')) causes.push(required(`${field}.name`));
        if (stringAt(variable, 'value') !== undefined && isObject(valueAt(variable, 'valueFrom'))) {
          causes.push(invalidValue(`${field}.valueFrom`, '', 'may not be specified when `value` is not empty'));
        }
      });
      arrayAt(container, 'volumeMounts').forEach((mount, position) => {
        const name = stringAt(mount, 'name') ?? '';
        if (arrayAt(spec, 'volumes').some((volume) => stringAt(volume, 'name') === name)) return;
        causes.push(notFoundValue(`${at}.volumeMounts[${position}].name`, name));
      });
    });
  }
  return causes;
}

function validateData(object: KubeObject): readonly StatusCause[] {
  const causes: StatusCause[] = [];
  let size = 0;
  for (const field of ['data', 'binaryData']) {
    const base64 = object.kind === 'Secret' || field === 'binaryData';
    for (const [key, value] of Object.entries(objectAt(object, field))) {
      if (!dataKey.test(key)) causes.push(invalidValue(`${field}[${key}]`, key, dataKeyRule));
      size += Buffer.byteLength(textOf(value), base64 ? 'base64' : 'utf8');
    }
  }
  if (size > maxDataBytes) {
    const field = object.kind === 'Secret' ? 'data' : '';
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxDataBytes} bytes`,
      field,
    });
  }
  return causes;
}

function validateDataUpdate(object: KubeObject, previous: KubeObject): readonly StatusCause[] {
  const causes: StatusCause[] = [];
  if (object.kind === 'Secret' && object['type'] !== previous['type']) {
    causes.push(invalidValue('type', object['type'], immutableRule));
  }
  if (previous['immutable'] !== true) return causes;
  if (object['immutable'] !== true) causes.push(forbiddenValue('immutable', immutableDataRule));
  for (const field of ['data', 'binaryData']) {
    if (!sameJson(objectAt(object, field), objectAt(previous, field)))
      causes.push(forbiddenValue(field, immutableDataRule));
  }
  return causes;
}

function validateSelector(object: KubeObject): readonly StatusCause[] {
  const selector = objectAt(object, 'spec', 'selector', 'matchLabels');
  const expressions = arrayAt(object, 'spec', 'selector', 'matchExpressions');
  if (Object.keys(selector).length === 0 && expressions.length === 0) return [required('spec.selector')];
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels');
  if (matchesLabels(labels as Record<string, string>, selector)) return [];
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function validateJobTemplate(object: KubeObject): readonly StatusCause[] {
  const policy = stringAt(object, 'spec', 'template', 'spec', 'restartPolicy') ?? '';
  if (policy === 'Never' || policy === 'OnFailure') return [];
  const message = `Unsupported value: "${policy}": supported values: "OnFailure", "Never"`;
  return [{ reason: 'FieldValueNotSupported', message, field: 'spec.template.spec.restartPolicy' }];
}

function immutable(
  object: KubeObject,
  previous: KubeObject | undefined,
  ...fields: readonly string[]
): readonly StatusCause[] {
  if (previous === undefined) return [];
  return fields
    .filter((field) => !sameJson(valueAt(object, 'spec', field), valueAt(previous, 'spec', field)))
    .map((field) => invalidValue(`spec.${field}`, valueAt(object, 'spec', field), immutableRule));
}

/** Of a pod's spec, only images and a few numbers may change. Checks only `spec.containers`. */
function validatePodUpdate(object: KubeObject, previous: KubeObject): readonly StatusCause[] {
  const fixed = (pod: KubeObject): JsonValue =>
    arrayAt(pod, 'spec', 'containers').map((container) => ({ ...objectAt(container), image: '' }));
  if (sameJson(fixed(object), fixed(previous))) return [];
  return [
    forbiddenValue(
      'spec',
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
        '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
        '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ),
  ];
}

function invalidValue(field: string, value: JsonValue | undefined, because: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value ?? null)}: ${because}`, field };
}

function required(field: string): StatusCause {
  return { reason: 'FieldValueRequired', message: 'Required value', field };
}

function notFoundValue(field: string, value: string): StatusCause {
  return { reason: 'FieldValueNotFound', message: `Not found: "${value}"`, field };
}

function forbiddenValue(field: string, because: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${because}`, field };
}
