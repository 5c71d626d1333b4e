import type { AnnotationProblem, AnnotationProblemCode } from '../annotations/annotation-problem';
import { annotation, sourceAnnotations, type Annotations } from '../annotations/annotations';

/** Whether a fault denies the write or is told with it. */
export const checkModes = ['warn', 'deny'] as const;
export type CheckMode = (typeof checkModes)[number];

/** The schema of a source's keys: a key of a ConfigMap of the same namespace. */
export interface SchemaReference {
  /** The key that it is for; undefined: every key in a format that a schema can speak of. */
  readonly key: string | undefined;
  readonly configMap: string;
  /** Undefined: the ConfigMap's only key. */
  readonly schemaKey: string | undefined;
}

/** What is to be checked of a source. */
export interface CheckSettings {
  readonly mode: CheckMode;
  readonly schemas: readonly SchemaReference[];
  readonly requiredKeys: readonly string[];
  /** Of all keys together, binary ones among them. */
  readonly maxBytes: number | undefined;
  /** What cannot be meant: that check is left out, and the rest is made. */
  readonly problems: readonly AnnotationProblem[];
}

const { validate, schema, requiredKeys, maxBytes } = sourceAnnotations;

/** Annotations of a source that ask for checks. */
export const checkAnnotations: readonly string[] = [validate, schema, requiredKeys, maxBytes];

/** More schemas would be more reads than fit into one review. */
const maxSchemas = 8;

const dataKey = /^[-._a-zA-Z0-9]{1,253}$/;
const schemaReference = /^(?:([-._a-zA-Z0-9]+)\s*=\s*)?([a-z0-9][-a-z0-9.]{0,252})(?:\/([-._a-zA-Z0-9]+))?$/;
const byteUnits: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 * 1024 };

/**
 * Reads what a source asks for. Undefined where it asks for nothing: no annotation of ours, and nothing said for its
 * namespace. Annotations without a mode only warn.
 */
export function checkSettings(annotations: Annotations, ofNamespace: CheckMode | undefined): CheckSettings | undefined {
  const asked = checkAnnotations.some((key) => annotation(annotations, key) !== undefined);
  const written = annotation(annotations, sourceAnnotations.validate);
  if (written === 'off' || (!asked && ofNamespace === undefined)) return undefined;
  const problems: AnnotationProblem[] = [];
  const complain: Complain = (code, key, value, message, fix) => {
    problems.push({ code, key, value, message, fix });
  };
  const mode = checkModes.find((known) => known === written);
  if (written !== undefined && mode === undefined) {
    complain(
      'bad-choice',
      sourceAnnotations.validate,
      written,
      'is no mode, faults only warn',
      'write warn, deny or off',
    );
  }
  return {
    mode: mode ?? (written === undefined ? ofNamespace : undefined) ?? 'warn',
    schemas: schemasIn(annotation(annotations, sourceAnnotations.schema), complain),
    requiredKeys: keysIn(annotation(annotations, sourceAnnotations.requiredKeys), complain),
    maxBytes: bytesIn(annotation(annotations, sourceAnnotations.maxBytes), complain),
    problems,
  };
}

type Complain = (code: AnnotationProblemCode, key: string, value: string, message: string, fix: string) => void;

function schemasIn(value: string | undefined, complain: Complain): readonly SchemaReference[] {
  const elements = elementsOf(value);
  const parsed = elements.slice(0, maxSchemas).map((element): SchemaReference | undefined => {
    const [, key, configMap = '', schemaKey] = schemaReference.exec(element) ?? [];
    if (configMap !== '') return { key, configMap, schemaKey };
    complain(
      'bad-name',
      sourceAnnotations.schema,
      element,
      'names no schema and is left out',
      'write [key=]configmap[/key]',
    );
    return undefined;
  });
  if (elements.length > maxSchemas) {
    const message = `has ${elements.length} schemas, of which the first ${maxSchemas} are read`;
    complain('bad-name', sourceAnnotations.schema, value ?? '', message, 'put them into fewer schemas');
  }
  return parsed.filter((reference) => reference !== undefined);
}

function keysIn(value: string | undefined, complain: Complain): readonly string[] {
  return elementsOf(value).filter((key) => {
    if (dataKey.test(key)) return true;
    complain('bad-name', sourceAnnotations.requiredKeys, key, 'cannot be a key and is left out', 'write names of keys');
    return false;
  });
}

function bytesIn(value: string | undefined, complain: Complain): number | undefined {
  if (value === undefined) return undefined;
  const [, digits, unit = ''] = /^(\d{1,9})(Ki|Mi)?$/.exec(value.trim()) ?? [];
  if (digits !== undefined) return Number(digits) * (byteUnits[unit] ?? 1);
  complain(
    'bad-choice',
    sourceAnnotations.maxBytes,
    value,
    'is no size and is left out',
    'write bytes such as 65536 or 64Ki',
  );
  return undefined;
}

function elementsOf(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}
