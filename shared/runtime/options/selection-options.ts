import * as z from 'zod';
import { errorMessage } from '../../domain/errors';
import { rewriteLegacySelector } from '../../domain/kubernetes/legacy-selector';
import { everything, parseSelector, type Selector } from '../../domain/kubernetes/selector';
import type { SourceKind } from '../../domain/sources/source';
import { listOf, namespaceName, oneOf } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';
import { lowerCased } from './process-options';

/** The part of the cluster to watch: rows that the reconciler and the webhook share, with Reloader's names. */

const ignorableSourceKinds: Readonly<Record<string, SourceKind>> = { configmaps: 'ConfigMap', secrets: 'Secret' };

/** Two elements would leave nothing to watch. */
const atMostOne = listOf(lowerCased.pipe(oneOf(ignorableSourceKinds, 'not a kind of source'))).refine(
  (ignored) => ignored.length <= 1,
  'no kind would be left to watch',
);

/** The elements are the terms of one label selector, in the syntax of Kubernetes or Reloader's older one. */
const labelSelector = z.array(z.string()).transform((elements, context): Selector => {
  try {
    return parseSelector(rewriteLegacySelector(elements));
  } catch (thrown) {
    context.addIssue(errorMessage(thrown));
    return z.NEVER;
  }
});

/** Templates may leave an empty element, which names no namespace. */
const namespacesWithoutGaps = z
  .array(z.string())
  .transform((elements): readonly string[] => elements.filter((element) => element !== ''))
  .pipe(listOf(namespaceName));

const selectorAccepts = 'a label selector such as env=prod,tier in (web,api),!canary; also env:prod and env:*';

export const selectionOptionTable = {
  namespaces: {
    flag: 'namespaces',
    fallbackEnv: 'KUBERNETES_NAMESPACE',
    form: 'list',
    schema: listOf(namespaceName),
    describe: 'Watch only these namespaces; none for the whole cluster.',
    accepts: 'a list of namespaces',
  },
  namespacesToIgnore: {
    flag: 'namespaces-to-ignore',
    form: 'list',
    schema: namespacesWithoutGaps,
    describe: 'Ignore these namespaces when the whole cluster is watched.',
    accepts: 'a list of namespaces',
  },
  namespaceSelector: {
    flag: 'namespace-selector',
    form: 'list',
    schema: labelSelector,
    describe: 'Restart only in namespaces with these labels when the whole cluster is watched.',
    accepts: selectorAccepts,
  },
  sourceSelector: {
    flag: 'resource-label-selector',
    form: 'list',
    schema: labelSelector,
    describe: 'Watch only ConfigMaps and Secrets with these labels.',
    accepts: selectorAccepts,
  },
  ignoredSourceKinds: {
    flag: 'resources-to-ignore',
    form: 'list',
    schema: atMostOne,
    describe: 'The kind of source that is not watched.',
    accepts: 'configmaps or secrets',
  },
} satisfies OptionTable;

/**
 * The scope to watch. If namespaces are named, the filters for the whole cluster have no effect. This is Reloader's
 * rule, which Reloader documents only in part.
 */
export function scopeOf({
  namespaces,
  namespacesToIgnore,
  namespaceSelector,
}: Pick<OptionValues<typeof selectionOptionTable>, 'namespaces' | 'namespacesToIgnore' | 'namespaceSelector'>) {
  if (namespaces.length === 0) return { scope: { namespacesToIgnore, namespaceSelector }, remarks: [] };
  const because = `has no effect: only ${namespaces.join(', ')} is watched, by --namespaces or KUBERNETES_NAMESPACE`;
  return {
    scope: { namespacesToIgnore: [], namespaceSelector: everything },
    remarks: [
      ...(namespacesToIgnore.length > 0 ? [`--namespaces-to-ignore ${because}`] : []),
      ...(namespaceSelector.isEverything ? [] : [`--namespace-selector ${because}`]),
    ],
  };
}
