import type { Selection } from '../../shared/domain/sources/selection';
import type { Requirement, Selector } from '../../shared/domain/kubernetes/selector';

/** What the reconcilers look at, so that the API server does not even call for the rest. */
export type WebhookSelection = Selection;

interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** Kubernetes sets this label itself: nobody can opt a namespace out by it. */
const namespaceName = 'kubernetes.io/metadata.name';

/** `namespaceSelector` and `objectSelector` of a webhook that is never called for what is in `never`. */
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
    // Of an update, the API server asks whether the old object or the new one fits: a label that goes is seen too.
    ...(objects.length > 0 && { objectSelector: { matchExpressions: objects } }),
  };
}

/** Comparisons of numbers have no form here: they are left out, and what is called for too much the reconcilers sift. */
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
