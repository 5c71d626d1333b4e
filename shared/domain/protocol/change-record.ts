import * as z from 'zod';
import { digestLength } from '../sources/content-digest';
import { RerollError } from '../errors';
import { listSchema } from './list-schema';

/** Maximum lengths in a record; {@link boundedChangeRecord} shortens fields that are only for people to read. */
const limits = { name: 253, text: 256, keyNames: 100 } as const;

/** The most key names in each list of a record; those beyond are left out. */
export const maxRecordedKeys = limits.keyNames;

const objectName = z
  .string()
  .max(limits.name)
  // The name becomes part of a request path, so `..` is rejected.
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
const text = z.string().max(limits.text);
const keyNames = listSchema(z.string().min(1).max(limits.name), limits.keyNames);
const schema = z
  .object({
    v: z.literal(1),
    id: text.min(1),
    kind: z.enum(['ConfigMap', 'Secret']),
    namespace: objectName,
    name: objectName,
    uid: text.min(1),
    digest: z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${digestLength}}$`)),
    keyId: z.string().regex(/^[A-Za-z0-9_-]{8}$/),
    changed: z.object({ added: keyNames, changed: keyNames, removed: keyNames }).readonly(),
    user: text,
    manager: text.optional(),
    observedAtMs: z.int().nonnegative(),
    replaces: text.optional(),
    // For people who read what is sent. The reconciler computes it itself, so whatever is here refuses no record.
    change: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .optional()
      .catch(undefined),
  })
  .readonly();

/**
 * A change that the webhook admitted, reported to the reconciler. It is a hint that names a source and who changed it,
 * until stored state confirms it. It never holds a value of the source.
 *
 * `id` is the admission request's, and `change` the id of the change (see `changeId`); `digest` is
 * {@link ContentDigest.whole} under the key that `keyId` names; `changed` may omit key names of a very large source.
 * `replaces` is the resource version of the object that the write replaces; a CREATE has none.
 */
export type ChangeRecord = z.infer<typeof schema>;

/** The body is not a change record. */
export class ChangeRecordError extends RerollError {
  constructor(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]) {
    const listed = issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.map(String).join('.') || 'the record'}: ${message}`);
    super(`invalid change record: ${listed.join('; ')}; webhook and reconciler must be of the same version`, {
      code: 'INVALID_CHANGE_RECORD',
    });
  }
}

/**
 * Unknown fields are dropped, so that a webhook of another version works with this reconciler. Throws a
 * ChangeRecordError.
 */
export function parseChangeRecord(value: unknown): ChangeRecord {
  const result = schema.safeParse(value);
  if (!result.success) throw new ChangeRecordError(result.error.issues);
  return result.data;
}

/** Shortens fields that only people read, so that no user name and no number of keys makes a record invalid. */
export function boundedChangeRecord(record: ChangeRecord): ChangeRecord {
  const { changed, manager, user } = record;
  return {
    ...record,
    changed: {
      added: changed.added.slice(0, limits.keyNames),
      changed: changed.changed.slice(0, limits.keyNames),
      removed: changed.removed.slice(0, limits.keyNames),
    },
    user: user.slice(0, limits.text),
    ...(manager !== undefined && { manager: manager.slice(0, limits.text) }),
  };
}
