import * as z from 'zod';
import { ContentDigest, digestLength } from './content-digest';
import { RerollError } from './errors';

/** The largest body of a question: the key names of a very large source. */
export const maxPreviewBytes = 256 * 1024;

/** Workloads of one answer that are named; the others are counted. */
export const maxPreviewNames = 20;

const objectName = z.string().min(1).max(253);

const questionSchema = z
  .object({
    v: z.literal(1),
    keyId: z.string().regex(/^[A-Za-z0-9_-]{8}$/),
    kind: z.enum(['ConfigMap', 'Secret']),
    namespace: objectName,
    name: objectName,
    /** Empty where the server has yet to give one. */
    uid: z.string().max(256),
    labels: z.record(z.string(), z.string()).readonly(),
    /** Annotations that are "true", by their keys: which of them count is the reconciler's to know. */
    switchedOn: z.array(z.string().max(512)).readonly(),
    /** Of each key. */
    digests: z.array(z.tuple([z.string(), z.string().length(digestLength)]).readonly()).readonly(),
  })
  .readonly();

/**
 * Asks what would happen if a source had other content: `POST /v1/preview`. Digests under the key that `keyId` names, and no
 * value.
 */
export type PreviewQuestion = z.infer<typeof questionSchema>;

const answerSchema = z
  .object({
    v: z.literal(1),
    /** What restarts, in the order of names, with the keys that are the reason; none where all of it counts. */
    restarts: z.array(z.object({ workload: z.string(), keys: z.array(z.string()).readonly() }).readonly()).readonly(),
    /** What uses or names the source and is left alone, with the reason. */
    left: z.array(z.object({ workload: z.string(), because: z.string() }).readonly()).readonly(),
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
      retry: 'never',
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

/** The digests of a question, as they stand in it. */
export function digestsOf(content: ContentDigest): PreviewQuestion['digests'] {
  return content.keyNames.map((name) => [name, content.key(name)]);
}

/** The content that a question tells of. */
export function contentOf({ digests }: PreviewQuestion): ContentDigest {
  return ContentDigest.of(digests);
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
