import { stringAt } from './json';
import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';
import { badRequest } from './status';

export type Selector = (object: KubeObject) => boolean;

/** Fields that a fieldSelector may name besides metadata.name and metadata.namespace. */
const selectableFields: Readonly<Record<string, readonly string[]>> = {
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  pods: ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'],
  secrets: ['type'],
  namespaces: ['status.phase'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
};

/**
 * Reads a fieldSelector: `path=value`, `path==value`, `path!=value`, joined by commas.
 *
 * @throws StatusError 400 for a field that the kind cannot select by.
 */
export function fieldSelector(kind: ResourceKind, text: string): Selector {
  const terms = text.split(',').filter((term) => term !== '');
  const tests = terms.map((term): Selector => {
    const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
    const [, field = '', operator = '', value = ''] = match ?? [];
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    requireSelectable(kind, field);
    const path = field.split('.');
    return (object) => ((stringAt(object, ...path) ?? '') === value) === (operator !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}

/** The name that a fieldSelector selects, if any. An RBAC rule for that name then covers the list. */
export function selectedName(text: string): string | undefined {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(text)?.[1];
}

function requireSelectable(kind: ResourceKind, field: string): void {
  if (field === 'metadata.name' || field === 'metadata.namespace') return;
  const fields = selectableFields[kind.plural];
  if (fields?.includes(field) === true) return;
  // Kinds with their own selectable fields report it in their own conversion function.
  throw badRequest(
    fields === undefined
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

/**
 * Reads a labelSelector: equality, set and existence terms.
 *
 * @throws StatusError 400 when it cannot be parsed.
 */
export function labelSelector(text: string): Selector {
  const tests = splitTerms(text).map((term) => labelTerm(term.trim(), text));
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

function labelTerm(term: string, whole: string): LabelTest {
  const set = /^([^\s!=(),]+)\s+(in|notin)\s+\(([^()]*)\)$/.exec(term);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return operator === 'in'
      ? (labels) => labels[key] !== undefined && values.includes(labels[key])
      : (labels) => labels[key] === undefined || !values.includes(labels[key]);
  }
  const equality = /^([^\s!=(),]+)\s*(==|=|!=)\s*([^\s!=(),]*)$/.exec(term);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = /^(!?)\s*([^\s!=(),]+)$/.exec(term);
  if (existence) {
    const [, not, key = ''] = existence;
    return (labels) => (labels[key] !== undefined) === (not === '');
  }
  throw badRequest(`unable to parse requirement: found '${term}' in ${whole}`);
}

/** Splits at commas, except inside the parentheses of a set. */
function splitTerms(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/).filter((term) => term.trim() !== '');
}

/** Matches labels against the matchLabels of a metav1.LabelSelector, as workloads have it. */
export function matchesLabels(
  labels: Readonly<Record<string, string>> | undefined,
  matchLabels: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value);
}
