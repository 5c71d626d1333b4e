import * as z from 'zod';
import { budgets } from '../budgets';
import { ContentDigest, digestLength } from '../sources/content-digest';
import { RerollError } from '../errors';
import { listSchema } from './list-schema';

/** The largest body of a question: the key names of a very large source. */
export const maxPreviewBytes = budgets.questionBytes;

/** Workloads of one answer that are named; the others are counted. */
export const maxPreviewNames = 20;

const objectName = z.string().min(1).max(253);
const digest = z.string().length(digestLength);

const questionSchema = z
  .object({
    v: z.literal(2),
    keyId: z.string().regex(/^[A-Za-z0-9_-]{8}$/),
    kind: z.enum(['ConfigMap', 'Secret']),
    namespace: objectName,
    name: objectName,
    labels: z.record(z.string(), z.string()).readonly(),
    /** Annotations that are "true", by their keys: which of them count is the reconciler's to know. */
    switchedOn: listSchema(z.string().max(512)),
    /** Undefined for a creation, of whose content nothing is asked: what is not sent cannot be compared with anything. */
    update: z
      .object({
        /** Of the object that is replaced, with the digest of its whole content: proof that who asks knows it. */
        uid: z.string().min(1).max(256),
        before: digest,
        /** Of each key that there is to be. */
        after: listSchema(z.tuple([z.string(), digest]).readonly()),
      })
      .readonly()
      .optional(),
  })
  .readonly();

/**
 * Asks what a write of a source would restart: `POST /v1/preview`. Digests under the key that `keyId` names, and no value.
 */
export type PreviewQuestion = z.infer<typeof questionSchema>;

type SourceUpdate = NonNullable<PreviewQuestion['update']>;

const answerSchema = z
  .object({
    v: z.literal(1),
    /** What restarts, in the order of names, with the keys that are the reason; none where all of it counts. */
    restarts: listSchema(z.object({ workload: z.string(), keys: listSchema(z.string()) }).readonly()),
    /** What uses or names the source and is left alone, with the reason. */
    left: listSchema(z.object({ workload: z.string(), because: z.string() }).readonly()),
    /** Beyond those that are named. */
    moreRestarts: z.int().nonnegative(),
    moreLeft: z.int().nonnegative(),
  })
  .readonly();

/** What the leader says to a {@link PreviewQuestion}. */
export type PreviewAnswer = z.infer<typeof answerSchema>;

/** What arrived is no question, or no answer. */
export class PreviewError extends RerollError {
  constructor(what: 'question' | 'answer') {
    super(`invalid preview ${what}; webhook and reconciler must be of the same version`, {
      code: 'INVALID_PREVIEW',
    });
  }
}

/** @throws PreviewError */
export function parsePreviewQuestion(value: unknown): PreviewQuestion {
  const result = questionSchema.safeParse(value);
  if (!result.success) throw new PreviewError('question');
  return result.data;
}

/** @throws PreviewError */
export function parsePreviewAnswer(value: unknown): PreviewAnswer {
  const result = answerSchema.safeParse(value);
  if (!result.success) throw new PreviewError('answer');
  return result.data;
}

/** An update of the object `uid`, as it stands in a question. */
export function updateOf(uid: string, before: ContentDigest, after: ContentDigest): SourceUpdate {
  return { uid, before: before.whole(), after: after.keyNames.map((name) => [name, after.key(name)]) };
}

/** The content that there is to be, as far as the question tells of it. */
export function contentOf({ update }: PreviewQuestion): ContentDigest {
  return ContentDigest.of(update?.after ?? []);
}

/**
 * One sentence for who makes the change: `restarts deployment/web, statefulset/db (key LOG_LEVEL)`. Undefined where there is
 * nothing to say. Names workloads and keys, never values.
 */
export function describePreview({ restarts, left, moreRestarts, moreLeft }: PreviewAnswer): string | undefined {
  const leftText = describeLeft(left, moreLeft);
  if (restarts.length === 0) return leftText === undefined ? undefined : `restarts nothing; ${leftText}`;
  const byKeys = new Map<string, string[]>();
  for (const { workload, keys } of restarts) {
    const reason = describeKeys(keys);
    byKeys.set(reason, [...(byKeys.get(reason) ?? []), workload]);
  }
  const groups = [...byKeys].map(([reason, workloads]) => workloads.join(', ') + reason);
  const more = moreRestarts > 0 ? ` and ${String(moreRestarts)} more` : '';
  return `restarts ${groups.join('; ')}${more}${leftText === undefined ? '' : `; ${leftText}`}`;
}

/** A reason is told of the first few. */
const maxReasons = 3;
const maxKeys = 5;

function describeLeft(left: PreviewAnswer['left'], more: number): string | undefined {
  const count = left.length + more;
  if (count === 0) return undefined;
  const told = left.slice(0, maxReasons).map(({ workload, because }) => `${workload}: ${because}`);
  return `${String(count)} left alone (${told.join('; ')}${count > told.length ? '; …' : ''})`;
}

function describeKeys(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const more = keys.length - maxKeys;
  const names = keys.slice(0, maxKeys).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  return ` (key${keys.length === 1 ? '' : 's'} ${names})`;
}
