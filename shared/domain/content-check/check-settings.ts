import type { AnnotationProblem, AnnotationProblemCode } from '../annotations/annotation-problem';
import { annotation, sourceAnnotations, type Annotations } from '../annotations/annotations';
import { namesIn, overBudget } from '../text/pattern';

/** Whether admission denies a write with a fault, or allows it with a warning. */
export const checkModes = ['warn', 'deny'] as const;
export type CheckMode = (typeof checkModes)[number];

/** The schema for a source's keys, itself a key of a ConfigMap in the same namespace. */
export interface SchemaReference {
  /** The key that it applies to; undefined: every key in a format that schemas support. */
  readonly key: string | undefined;
  readonly configMap: string;
  /** Undefined: the ConfigMap's only key. */
  readonly schemaKey: string | undefined;
}

/** The checks for a source. */
export interface CheckSettings {
  readonly mode: CheckMode;
  readonly schemas: readonly SchemaReference[];
  readonly requiredKeys: readonly string[];
  /** For all keys together, including binary ones. */
  readonly maxBytes: number | undefined;
  /** Invalid settings: those checks are skipped, and the others run. */
  readonly problems: readonly AnnotationProblem[];
}

const { validate, schema, requiredKeys, maxBytes } = sourceAnnotations;

/** Annotations that request checks of a source. */
export const checkAnnotations: readonly string[] = [validate, schema, requiredKeys, maxBytes];

/** More schemas would need more reads than one review allows. */
const maxSchemas = 8;

const dataKey = /^[-._a-zA-Z0-9]{1,253}$/;
const schemaReference = /^(?:([-._a-zA-Z0-9]+)\s*=\s*)?([a-z0-9][-a-z0-9.]{0,252})(?:\/([-._a-zA-Z0-9]+))?$/;
const byteUnits: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 * 1024 };

/**
 * Reads the checks that a source requests. Undefined if there are none: the source has no such annotation, and no mode
 * is set for its namespace. Annotations without a mode only warn.
 */
export function checkSettings(annotations: Annotations, ofNamespace: CheckMode | undefined): CheckSettings | undefined {
  const isRequested = checkAnnotations.some((key) => annotation(annotations, key) !== undefined);
  const written = annotation(annotations, sourceAnnotations.validate);
  if (written === 'off' || (!isRequested && ofNamespace === undefined)) return undefined;
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
      'is not a mode: faults only warn',
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
  const elements = elementsOf(sourceAnnotations.schema, value, complain);
  const parsed = elements.slice(0, maxSchemas).map((element): SchemaReference | undefined => {
    const [, key, configMap = '', schemaKey] = schemaReference.exec(element) ?? [];
    if (configMap !== '') return { key, configMap, schemaKey };
    complain(
      'bad-name',
      sourceAnnotations.schema,
      element,
      'names no schema and is ignored',
      'write [key=]configmap[/key]',
    );
    return undefined;
  });
  if (elements.length > maxSchemas) {
    const message = `has ${elements.length} schemas, but only the first ${maxSchemas} are used`;
    complain('bad-name', sourceAnnotations.schema, value ?? '', message, 'put them into fewer schemas');
  }
  return parsed.filter((reference) => reference !== undefined);
}

function keysIn(value: string | undefined, complain: Complain): readonly string[] {
  return elementsOf(sourceAnnotations.requiredKeys, value, complain).filter((key) => {
    if (dataKey.test(key)) return true;
    complain(
      'bad-name',
      sourceAnnotations.requiredKeys,
      key,
      'is not a valid key name and is ignored',
      'write names of keys',
    );
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
    'is not a size and is ignored',
    'write bytes such as 65536 or 64Ki',
  );
  return undefined;
}

/** None of a list over its budget: every element may be a problem of its own, and a write waits for all of them. */
function elementsOf(key: string, value: string | undefined, complain: Complain): readonly string[] {
  const list = value ?? '';
  const over = overBudget(list);
  if (over) complain('over-budget', key, list, over.message, over.fix);
  return namesIn(list);
}
