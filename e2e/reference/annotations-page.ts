import { reconcilerOptionTable } from '../../reconciler/options/options';
import {
  defaultAnnotationKeys,
  gateAnnotations,
  ownAnnotations,
  sourceAnnotations,
} from '../../shared/domain/annotations/annotations';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import { gateFacts, markers, ownFacts, reloaderFacts, sourceFacts, type AnnotationFact } from './annotation-facts';
import { markdownTable } from './markdown-table';

const head = `<!-- Generated: npm run release -- --generate -->

# Annotations

This page lists all annotations that Reroll reads or writes, and where each counts:

- _workload_: the metadata of a Deployment, StatefulSet, DaemonSet, CronJob, Job, Argo Rollout or DeploymentConfig
- _pod template_: the metadata of the workload's pod template; for a CronJob, that of its Job
- _source_: the metadata of a ConfigMap, Secret or SecretProviderClass
- _namespace_: the metadata of a Namespace, if the whole cluster is watched

No annotation counts on a pod, and no label counts as one. How they work together:
[What restarts, and when](../restarts.md).

Go's booleans are \`1\`, \`t\`, \`T\`, \`TRUE\`, \`true\`, \`True\`, and the corresponding words for false. Go's durations are written
like \`500ms\`, \`10s\` or \`1m30s\`. If a value is invalid, the log says so and how Reroll treats it, and
[the webhook](../webhook.md#lint) warns whoever writes it.
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

/** The text of docs/reference/annotations.md, from the keys that the code reads and writes. */
export function annotationsPage(): string {
  return [
    head,
    "## Reloader's",
    '',
    "If a workload's metadata has no annotation for a kind of source, those of the pod template count for that kind. For",
    '`kind` and `match` this is decided separately. A flag of the reconciler can rename some of the keys.',
    '',
    markdownTable([...columns, 'renamed by'], rows(defaultAnnotationKeys, reloaderFacts, flagOf)),
    "## Reroll's, on a workload",
    '',
    markdownTable(columns, rows(ownAnnotations, ownFacts)),
    "## Reroll's, about when restarts may begin",
    '',
    'The nearest one counts: that of the workload, else of the changed source, else of the namespace, else the flag:',
    '[which setting counts](../holding.md#which-setting-counts). Limits and the order have [rules of their own](../pace.md).',
    '',
    markdownTable(columns, rows(gateAnnotations, gateFacts)),
    "## Reroll's, on a ConfigMap or Secret",
    '',
    'Only [the webhook](../webhook.md#content-checks) reads these.',
    '',
    markdownTable(columns, rows(sourceAnnotations, sourceFacts)),
    '## What a restart leaves on the pod template',
    '',
    'The strategy `env-vars` leaves no annotation, but a variable `STAKATER_<NAME>_<TYPE>` in a container.',
    '',
    markdownTable(
      ['annotation', 'written'],
      markers.map(([key, meaning]) => [`\`${key}\``, meaning]),
    ),
  ].join('\n');
}
