import { reconcilerOptionTable } from '../../reconciler/options/options';
import { defaultAnnotationKeys, ownAnnotations, sourceAnnotations } from '../../shared/domain/annotations/annotations';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import { markers, ownFacts, reloaderFacts, sourceFacts, type AnnotationFact } from './annotation-facts';
import { markdownTable } from './markdown-table';

const head = `<!-- Generated: npm run release -- --generate -->

# Annotations

All annotations that are read or written, and where each counts. A _workload_ is the metadata of a Deployment,
StatefulSet, DaemonSet, CronJob, Job, Argo Rollout or DeploymentConfig; a _pod template_ is that of the workload, of a
CronJob that of its Job; a _source_ is the metadata of a ConfigMap, Secret or SecretProviderClass. None counts on a
namespace, on a pod, or among labels. How they work together:
[What restarts, and when](../restarts.md).

Go's booleans are \`1\`, \`t\`, \`T\`, \`TRUE\`, \`true\`, \`True\` and the same of false. Go's durations are such as
\`500ms\`, \`10s\`, \`1m30s\`. What cannot be meant is told in the log, and by [the webhook](../webhook.md#lint) to who writes
it, with what it counts as.
`;

function flagOf(key: string): string {
  const row = Object.values<OptionTable[string]>(reconcilerOptionTable).find((each) => each.default === key);
  return row === undefined ? '' : `\`--${row.flag}\``;
}

function rows<Name extends string>(
  keys: Readonly<Record<Name, string>>,
  facts: Readonly<Record<Name, AnnotationFact>>,
  ...more: readonly ((key: string) => string)[]
): readonly (readonly string[])[] {
  return (Object.keys(keys) as Name[]).map((name) => {
    const { where, values, otherwise, meaning } = facts[name];
    return [`\`${keys[name]}\``, where.join(', '), values, otherwise, meaning, ...more.map((cell) => cell(keys[name]))];
  });
}

const columns = ['annotation', 'counts on', 'values', 'without it', 'meaning'];

/** docs/reference/annotations.md, of the keys that the code reads and writes. */
export function annotationsPage(): string {
  return [
    head,
    "## Reloader's",
    '',
    "The pod template's count for a kind of source where the metadata has none that concerns it. `kind` and `match` are a",
    'pair of their own in this. A flag of the reconciler gives a key another name.',
    '',
    markdownTable([...columns, 'renamed by'], rows(defaultAnnotationKeys, reloaderFacts, flagOf)),
    "## Reroll's, on a workload",
    '',
    markdownTable(columns, rows(ownAnnotations, ownFacts)),
    "## Reroll's, on a ConfigMap or Secret",
    '',
    'For [the webhook](../webhook.md#content-checks) alone.',
    '',
    markdownTable(columns, rows(sourceAnnotations, sourceFacts)),
    '## What a restart leaves on the pod template',
    '',
    'The strategy `env-vars` leaves a variable `STAKATER_<NAME>_<TYPE>` in a container, and no annotation.',
    '',
    markdownTable(
      ['annotation', 'written'],
      markers.map(([key, meaning]) => [`\`${key}\``, meaning]),
    ),
  ].join('\n');
}
