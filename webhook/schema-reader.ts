import type { SchemaReference } from '../shared/domain/content-check/check-settings';
import { describeSchemaError, loadSchema, type LoadedSchema } from '../shared/domain/content-check/content-faults';
import { formatOf } from '../shared/domain/content-check/content-format';
import { SchemaError } from '../shared/domain/content-check/schema-error';
import { RerollError } from '../shared/domain/errors';
import { fieldAt, objectOf, textOf } from '../shared/domain/json-value';
import type { KubeClient } from '../shared/kube/client';
import { NotFoundError } from '../shared/kube/errors';
import { getObject } from '../shared/kube/objects';
import { configMaps } from '../shared/kube/resource';
import type { UncheckedReason } from './metrics';
import { withinTime } from './time-limit';

/** A schema that is not to be had; the message is fit for a warning. */
export class SchemaReadError extends RerollError {
  readonly reason: UncheckedReason;

  constructor(message: string, reason: UncheckedReason, cause?: unknown) {
    super(message, { code: 'SCHEMA_READ', retry: 'never', cause });
    this.reason = reason;
  }
}

/** A larger one would take longer to read than there is time. */
const maxLength = 256 * 1024;

/** Schemas that stay read, by the version that they were read of. */
const maxKept = 32;

/**
 * Reads schemas out of ConfigMaps. Each use asks the API server, so that a schema that has been corrected counts at once;
 * what is kept is the work of reading its text.
 */
export class SchemaReader {
  readonly #client: KubeClient;
  /** The oldest first. */
  readonly #kept = new Map<string, LoadedSchema>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** @throws SchemaReadError */
  async read(namespace: string, reference: SchemaReference, timeoutMs: number): Promise<LoadedSchema> {
    const object = await this.#configMap(namespace, reference.configMap, timeoutMs);
    const [key, text] = chosenKey(object, reference);
    const name = `${reference.configMap}/${key}`;
    const { uid, resourceVersion } = object.metadata;
    const version = `${uid} ${resourceVersion} ${name}`;
    const kept = this.#kept.get(version);
    if (kept) return kept;
    const schema = await parsed(name, text, timeoutMs);
    this.#keep(version, schema);
    return schema;
  }

  async #configMap(namespace: string, name: string, timeoutMs: number) {
    try {
      return await getObject(this.#client, configMaps, namespace, name, { timeoutMs });
    } catch (thrown) {
      if (thrown instanceof NotFoundError) {
        throw new SchemaReadError(`there is no ConfigMap ${name} with a schema`, 'schema_missing', thrown);
      }
      throw new SchemaReadError(`the schema in ConfigMap ${name} could not be read`, 'schema_unavailable', thrown);
    }
  }

  #keep(version: string, schema: LoadedSchema): void {
    this.#kept.set(version, schema);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
  }
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

/** A key whose name tells no format is read as JSON. */
async function parsed(name: string, text: string, limitMs: number): Promise<LoadedSchema> {
  const format = formatOf(name) ?? formatOf('.json');
  if (!format || text.length > Math.min(maxLength, format.maxLength)) {
    throw new SchemaReadError(`the schema ${name} is too large`, 'schema_unreadable');
  }
  const parse = await format.load();
  try {
    return withinTime(limitMs, () => loadSchema(name, text, parse));
  } catch (thrown) {
    const why = thrown instanceof SchemaError ? describeSchemaError({ name, text }, thrown) : `${name}: not readable`;
    throw new SchemaReadError(`the schema cannot be used: ${why}`, 'schema_unreadable', thrown);
  }
}
