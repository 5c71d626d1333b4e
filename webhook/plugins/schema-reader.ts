import { annotation, annotationsOf, sourceAnnotations } from '../../shared/domain/annotations/annotations';
import type { SchemaReference } from '../../shared/domain/content-check/check-settings';
import { describeSchemaError, loadSchema, type LoadedSchema } from '../../shared/domain/content-check/content-faults';
import { formatOf } from '../../shared/domain/content-check/content-format';
import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import { SchemaError } from '../../shared/domain/content-check/schema-values';
import { RerollError } from '../../shared/domain/errors';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeClient } from '../../shared/kube/client/client';
import { Deadline } from '../../shared/kube/client/deadline';
import { ForbiddenError, NotFoundError } from '../../shared/kube/errors';
import { getMetadata, getObject, type ObjectMeta } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import type { Clock } from '../../shared/runtime/clock';
import type { UncheckedReason } from '../metrics';
import { TimeLimitError, withinTime } from '../../shared/runtime/time-limit';

/** A schema could not be read. The message can be shown in a warning. */
export class SchemaReadError extends RerollError {
  readonly reason: UncheckedReason;

  constructor(message: string, reason: UncheckedReason, cause?: unknown) {
    super(message, { code: 'SCHEMA_READ', cause });
    this.reason = reason;
  }
}

const { isSchema } = sourceAnnotations;

/**
 * Reads schemas from ConfigMaps that are annotated as schemas. If any ConfigMap could be a schema, a user who may name
 * it but not read it could learn its text bit by bit from the reported faults. A ConfigMap without the annotation gets
 * the same answer as one that does not exist.
 *
 * Each use asks the API server, so a corrected schema counts at once; only the parsed schema is cached. The metadata is
 * read first, so that the time does not reveal the size of a ConfigMap that is not a schema.
 */
export class SchemaReader {
  readonly #clock: Clock;
  readonly #client: KubeClient;
  /** By the version of the ConfigMap. */
  readonly #kept = new BoundedMap<string, LoadedSchema>({
    maxBytes: budgets.keptSchemaBytes,
    maxOwnerBytes: budgets.keptSchemaNamespaceBytes,
  });

  constructor(clock: Clock, client: KubeClient) {
    this.#clock = clock;
    this.#client = client;
  }

  /** @throws SchemaReadError */
  async read(namespace: string, reference: SchemaReference, timeoutMs: number): Promise<LoadedSchema> {
    const untilMs = this.#clock.monotonicMs() + timeoutMs;
    const deadline = new Deadline(this.#clock);
    deadline.set(timeoutMs);
    const where = [this.#client, configMaps, namespace, reference.configMap, { signal: deadline.signal }] as const;
    try {
      const seen = await marked(namespace, reference, getMetadata(...where));
      const kept = this.#kept.use(versionOf(seen, reference));
      if (kept) return kept;
      const object = await marked(namespace, reference, getObject(...where));
      const [key, text] = chosenKey(object, reference);
      // A write may name several schemas, and only one is parsed at a time: what one takes, the others do not have.
      const leftMs = (): number => untilMs - this.#clock.monotonicMs();
      const schema = await parsed(`${reference.configMap}/${key}`, text, leftMs);
      const version = versionOf(object, reference);
      this.#kept.set(version, schema, version.length + text.length, namespace);
      return schema;
    } finally {
      deadline.dispose();
    }
  }
}

/** Resolves to the ConfigMap if it is annotated as a schema. @throws SchemaReadError */
async function marked<Found extends { readonly metadata: ObjectMeta }>(
  namespace: string,
  { configMap }: SchemaReference,
  asked: Promise<Found>,
): Promise<Found> {
  const none = (reason: UncheckedReason, cause?: unknown): SchemaReadError => {
    const message = `there is no ConfigMap ${configMap} in ${namespace} that is annotated ${isSchema}: "true"`;
    return new SchemaReadError(`${message}; create it, or annotate it`, reason, cause);
  };
  try {
    const found = await asked;
    if (annotation(annotationsOf(found), isSchema) !== 'true') throw none('schema_missing');
    return found;
  } catch (thrown) {
    if (thrown instanceof SchemaReadError) throw thrown;
    if (thrown instanceof NotFoundError) throw none('schema_missing', thrown);
    if (thrown instanceof ForbiddenError) throw none('schema_unavailable', thrown);
    throw new SchemaReadError(`the schema in ConfigMap ${configMap} could not be read`, 'schema_unavailable', thrown);
  }
}

function versionOf({ metadata }: { readonly metadata: ObjectMeta }, { schemaKey = '' }: SchemaReference): string {
  return `${metadata.uid} ${metadata.resourceVersion} ${schemaKey}`;
}

function chosenKey(object: object, { configMap, schemaKey }: SchemaReference): readonly [key: string, text: string] {
  const data = objectOf(fieldAt(object, ['data']));
  const keys = Object.keys(data);
  const key = schemaKey ?? (keys.length === 1 ? keys[0] : undefined);
  if (key === undefined) {
    const message = `ConfigMap ${configMap} has ${keys.length} keys: name the one with the schema, as ${configMap}/key`;
    throw new SchemaReadError(message, 'schema_missing');
  }
  const text = Object.hasOwn(data, key) ? textOf(data[key]) : undefined;
  if (text === undefined) throw new SchemaReadError(`ConfigMap ${configMap} has no key ${key}`, 'schema_missing');
  return [key, text];
}

/** A key whose name shows no format is parsed as JSON. */
async function parsed(name: string, text: string, leftMs: () => number): Promise<LoadedSchema> {
  const format = formatOf(name) ?? formatOf('.json');
  if (!format || text.length > Math.min(budgets.schemaBytes, format.maxLength)) {
    throw new SchemaReadError(`the schema ${name} is too large`, 'schema_unreadable');
  }
  const parse = await format.load();
  try {
    return withinTime(leftMs(), () => loadSchema(name, text, parse));
  } catch (thrown) {
    // Nothing is wrong with the schema: whoever reads this must not look for a fault in it.
    if (thrown instanceof TimeLimitError) {
      throw new SchemaReadError(`the schema ${name} could not be parsed in time`, 'deadline', thrown);
    }
    const why = thrown instanceof SchemaError ? describeSchemaError({ name, text }, thrown) : `${name}: not readable`;
    throw new SchemaReadError(`the schema cannot be used: ${why}`, 'schema_unreadable', thrown);
  }
}
