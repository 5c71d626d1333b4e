import type { Selection } from '../../shared/domain/sources/selection';
import type { Requirement, Selector } from '../../shared/domain/kubernetes/selector';

/** What the reconcilers watch. The API server does not call the webhook for anything else. */
export type WebhookSelection = Selection;

interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** Kubernetes sets this label itself, so nobody can opt a namespace out with it. */
const namespaceName = 'kubernetes.io/metadata.name';

/** `namespaceSelector` and `objectSelector` for a webhook that is never called for the namespaces in `never`. */
export function selectors(selection: WebhookSelection | undefined, never: readonly string[]) {
  const ignored = [...never, ...(selection?.namespacesToIgnore ?? [])];
  const namespaces = selection?.namespaces ?? [];
  const objects = expressions(selection?.sourceSelector);
  return {
    namespaceSelector: {
      matchExpressions: [
        { key: namespaceName, operator: 'NotIn' as const, values: ignored },
        ...(namespaces.length > 0 ? [{ key: namespaceName, operator: 'In' as const, values: namespaces }] : []),
        ...expressions(selection?.namespaceSelector),
      ],
    },
    // For an UPDATE, the API server matches the old or the new object, so a removed label is seen too.
    ...(objects.length > 0 && { objectSelector: { matchExpressions: objects } }),
  };
}

/**
 * A label selector cannot compare numbers: such requirements are left out, and the reconcilers drop the extra records.
 */
function expressions(selector: Selector | undefined): readonly LabelSelectorRequirement[] {
  return (selector?.requirements ?? []).flatMap((requirement) => expression(requirement) ?? []);
}

function expression(requirement: Requirement): LabelSelectorRequirement | undefined {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'in':
      return { key, operator: 'In', values: requirement.values };
    case 'notin':
      return { key, operator: 'NotIn', values: requirement.values };
    case 'exists':
      return { key, operator: 'Exists' };
    case 'absent':
      return { key, operator: 'DoesNotExist' };
    case '>':
    case '<':
      return undefined;
  }
}
