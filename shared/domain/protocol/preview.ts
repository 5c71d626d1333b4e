import * as z from 'zod';
import { budgets } from '../budgets';
import { ContentDigest, digestLength } from '../sources/content-digest';
import { RerollError } from '../errors';
import { describeLater } from './deferral';
import { listSchema } from './list-schema';

/** The largest body of a question. The key names of a very large source take the most. */
export const maxPreviewBytes = budgets.questionBytes;

/** The number of workloads that an answer names; the others are counted. */
export const maxPreviewNames = 20;

/** The number of keys that an answer names for a workload; the others are counted. */
export const maxPreviewKeys = 5;

/** A longer text is cut: of a hold the reason is lost, and windows of that length are invalid anyway. */
export const maxGateTextLength = 1_000;

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
    /** The keys of annotations that are "true". The reconciler knows which of them count. */
    switchedOn: listSchema(z.string().max(512)),
    /** When a change of it may restart workloads, as its annotations say after the write. An older webhook does not send it. */
    gates: z.record(z.string(), z.string().max(maxGateTextLength)).readonly().optional(),
    /** Undefined for a creation: without digests of its content, the answer cannot depend on the content. */
    update: z
      .object({
        /** The object that is replaced, with the digest of its whole content: proof that the sender knows it. */
        uid: z.string().min(1).max(256),
        before: digest,
        /** Every key after the update. */
        after: listSchema(z.tuple([z.string(), digest]).readonly()),
        /** The same of the parsed content. Missing if it is not compared parsed; an older webhook does not send it. */
        parsed: listSchema(z.tuple([z.string(), digest]).readonly()).optional(),
      })
      .readonly()
      .optional(),
  })
  .readonly();

/**
 * Asks what a write of a source would restart: `POST /v1/preview`. It holds digests under the key that `keyId` names,
 * and no values.
 */
export type PreviewQuestion = z.infer<typeof questionSchema>;

type SourceUpdate = NonNullable<PreviewQuestion['update']>;

const answerSchema = z
  .object({
    v: z.literal(1),
    /** Workloads that restart, sorted by name, with the keys that cause it; no keys if the whole source counts. */
    restarts: listSchema(
      z
        .object({
          workload: z.string(),
          keys: listSchema(z.string()),
          /** Keys beyond those that are named. An older reconciler names all of them. */
          moreKeys: z.int().nonnegative().optional(),
          /** That restart would not begin now. An older reconciler does not tell it. */
          deferred: z
            .object({ gate: z.string(), until: z.string().optional(), detail: z.string() })
            .readonly()
            .optional(),
        })
        .readonly(),
    ),
    /** Workloads that use or name the source but do not restart, with the reason. */
    left: listSchema(z.object({ workload: z.string(), because: z.string() }).readonly()),
    /** Restarts beyond those that are named. */
    moreRestarts: z.int().nonnegative(),
    moreLeft: z.int().nonnegative(),
  })
  .readonly();

/** The leader's answer to a {@link PreviewQuestion}. */
export type PreviewAnswer = z.infer<typeof answerSchema>;

/** The body is not a question, or not an answer. */
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

/** An update of the object `uid`, as it is sent in a question. */
export function updateOf(uid: string, before: ContentDigest, after: ContentDigest): SourceUpdate {
  const { parsed } = after;
  return { uid, before: before.whole(), after: after.entries(), ...(parsed && { parsed: parsed.entries() }) };
}

/** The content after the write, as far as the question contains it. */
export function contentOf({ update }: PreviewQuestion): ContentDigest {
  const parsed = update?.parsed && ContentDigest.of(update.parsed);
  return ContentDigest.of(update?.after ?? [], parsed);
}

/**
 * One sentence for the author of the change: `restarts deployment/web, statefulset/db (key LOG_LEVEL)`. Undefined if
 * nothing is affected. Names workloads and keys, never values.
 */
export function describePreview({ restarts, left, moreRestarts, moreLeft }: PreviewAnswer): string | undefined {
  const leftText = describeLeft(left, moreLeft);
  if (restarts.length === 0) return leftText === undefined ? undefined : `restarts nothing; ${leftText}`;
  const more = moreRestarts > 0 ? ` and ${String(moreRestarts)} more` : '';
  return `${describeRestarts(restarts)}${more}${leftText === undefined ? '' : `; ${leftText}`}`;
}

/** Those that begin now come first. What defers the others stands before their names, since a long warning is cut. */
function describeRestarts(restarts: PreviewAnswer['restarts']): string {
  const byTime = grouped(restarts, ({ deferred }) => (deferred ? describeLater(deferred) : ''));
  return byTime
    .toSorted(([left], [right]) => Number(left !== '') - Number(right !== ''))
    .map(([when, those]) => `restarts ${when === '' ? '' : `${when}: `}${describeWorkloads(those)}`)
    .join('; ');
}

function describeWorkloads(restarts: PreviewAnswer['restarts']): string {
  const byKeys = grouped(restarts, ({ keys, moreKeys }) => describeKeys(keys, moreKeys));
  return byKeys.map(([reason, those]) => those.map(({ workload }) => workload).join(', ') + reason).join('; ');
}

function grouped<Item>(items: readonly Item[], by: (item: Item) => string): readonly (readonly [string, Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return [...groups];
}

/** Only the first few reasons are shown. */
const maxReasons = 3;

function describeLeft(left: PreviewAnswer['left'], more: number): string | undefined {
  const count = left.length + more;
  if (count === 0) return undefined;
  const shown = left.slice(0, maxReasons).map(({ workload, because }) => `${workload}: ${because}`);
  return `${String(count)} left alone (${shown.join('; ')}${count > shown.length ? '; …' : ''})`;
}

function describeKeys(keys: readonly string[], moreKeys = 0): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, maxPreviewKeys);
  const more = keys.length - shown.length + moreKeys;
  const names = shown.join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  return ` (key${keys.length === 1 ? '' : 's'} ${names})`;
}
