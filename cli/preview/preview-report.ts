import * as z from 'zod';
import { deferralSchema } from '../../shared/domain/protocol/deferral';
import { sourceDecisionFields } from '../../shared/domain/protocol/source-decision';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { everyKey } from '../../shared/domain/sources/content-digest';
import { answeredBy } from '../cluster/ask-leader';
import { outcomes, type Preview } from './preview';
import type { Headline } from './preview-headline';
import { changedKeys, type SourceChange } from './source-change';

const fates = ['changed', 'unchanged', 'created', 'deleted', 'assumed', 'refused', 'missing'] as const;
/** What happens to a source. */
export type SourceFate = (typeof fates)[number];

const keysSchema = z.union([z.literal('all'), z.array(z.string()).readonly()]);
const objectFields = { kind: z.string(), namespace: z.string(), name: z.string() } as const;

const effectSchema = z.strictObject({
  kind: z.string(),
  name: z.string(),
  ...sourceDecisionFields,
  why: z.string().describe('What the change does to the workload, as a phrase.'),
  changedKeys: keysSchema.describe('The changed keys that the workload uses; `all` if they cannot be told apart.'),
  restarts: z.boolean(),
  deferred: deferralSchema.optional().describe('That restart would not begin at once. Missing if it would.'),
});

/** The output of `reroll preview -o json`. Names keys, and no value. */
export const previewReportSchema = z.strictObject({
  v: z.literal(1),
  sources: z
    .array(
      z.strictObject({
        ...objectFields,
        change: z
          .enum(fates)
          .describe(
            '`assumed`: its content may not be read, so all that is touched counts as changed. `refused`: the API server would refuse it. ' +
              '`missing`: there is no such source.',
          ),
        keys: keysSchema.describe('The keys that change; `all` if they cannot be told apart.'),
        missingRight: z.string().optional().describe('The right without which its content is not known.'),
      }),
    )
    .readonly()
    .describe('The ConfigMaps and Secrets that are changed.'),
  workloads: z
    .array(
      z.strictObject({
        ...objectFields,
        outcome: z
          .enum(outcomes)
          .describe('`rolls-out`: its own pod template changes too, and the restart coalesces with that rollout.'),
        deferred: deferralSchema.optional().describe('What keeps the restart from beginning. Missing if nothing does.'),
        sources: z.array(effectSchema).readonly().describe('Those that restart it come first.'),
      }),
    )
    .readonly()
    .describe('The workloads that use something that is changed.'),
  notResolved: z
    .array(z.strictObject({ ...objectFields, why: z.string().describe('A phrase without a subject.') }))
    .readonly()
    .describe('Objects of the manifests whose effect on ConfigMaps and Secrets is not known.'),
  answer: z.string().describe('The first line of the text.'),
  answeredBy: z.enum(['leader', 'objects']),
});

/** As another version of the leader may tell the rules. */
export type PreviewReport = Tolerant<z.output<typeof previewReportSchema>>;

export function whatHappensTo(change: SourceChange): SourceFate {
  const { before, after, refusal, missingRight } = change;
  if (refusal !== undefined) return 'refused';
  if (!before && !after) return 'missing';
  if (!before) return 'created';
  if (!after) return 'deleted';
  if (missingRight !== undefined) return 'assumed';
  return changedKeys(change).length === 0 ? 'unchanged' : 'changed';
}

/** The keys that change; `all` if they cannot be told apart. */
export function keysOf(of: SourceChange | { readonly changedKeys: readonly string[] }): 'all' | readonly string[] {
  const keys = 'changedKeys' in of ? of.changedKeys : changedKeys(of);
  return keys.length === 1 && keys[0] === everyKey ? 'all' : keys;
}

/** The output of `-o json` and `-o yaml`. Names keys, and no value. */
export function previewReport(preview: Preview, headline: Headline): PreviewReport {
  return {
    v: 1,
    sources: preview.sources.map(({ change }) => ({
      ...change.source,
      change: whatHappensTo(change),
      keys: keysOf(change),
      ...(change.missingRight !== undefined && { missingRight: change.missingRight }),
    })),
    workloads: preview.workloads.map(({ effects, ...workload }) => ({
      ...workload,
      sources: effects.map(({ source: { kind, name }, changedKeys: changed, ...effect }) => ({
        ...{ kind, name, ...effect },
        changedKeys: keysOf({ changedKeys: changed }),
      })),
    })),
    notResolved: preview.unresolved,
    answer: headline.text,
    ...answeredBy(preview),
  };
}
