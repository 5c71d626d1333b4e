import type { ObjectName } from './live-message';

/** What the page shows, as in its address, so that a link leads back to it. */
export interface View {
  readonly tab: 'workloads' | 'timeline';
  /** Words that each row has to contain. */
  readonly search: string;
  /** Empty: all. */
  readonly namespace: string;
  /** Empty: all. */
  readonly state: string;
  /** The object in the panel. */
  readonly opened: OpenedObject | undefined;
}

export interface OpenedObject extends ObjectName {
  readonly is: 'workload' | 'source';
}

export const firstView: View = { tab: 'workloads', search: '', namespace: '', state: '', opened: undefined };

const namePattern = /^[A-Za-z]{1,63}\/[-a-z0-9A-Z._:]{1,253}\/[-a-z0-9A-Z._:]{1,253}$/;

/** Reads the query of an address. What does not fit is left out: somebody may have typed it. */
export function viewOf(query: string): View {
  const parameters = new URLSearchParams(query);
  const text = (name: string): string => (parameters.get(name) ?? '').slice(0, 200);
  return {
    tab: text('tab') === 'timeline' ? 'timeline' : 'workloads',
    ...{ search: text('q'), namespace: text('namespace'), state: text('state') },
    opened: openedIn(parameters, 'workload') ?? openedIn(parameters, 'source'),
  };
}

function openedIn(parameters: URLSearchParams, is: OpenedObject['is']): OpenedObject | undefined {
  const key = parameters.get(is) ?? '';
  if (!namePattern.test(key)) return undefined;
  const [kind = '', namespace = '', name = ''] = key.split('/');
  return { is, kind, namespace, name };
}

/** The address of a view, without host. */
export function addressOf({ tab, search, namespace, state, opened }: View): string {
  const parameters = new URLSearchParams();
  if (tab === 'timeline') parameters.set('tab', tab);
  if (search !== '') parameters.set('q', search);
  if (namespace !== '') parameters.set('namespace', namespace);
  if (state !== '') parameters.set('state', state);
  if (opened) parameters.set(opened.is, `${opened.kind}/${opened.namespace}/${opened.name}`);
  // Slashes may stand in a query, and names are easier to read with them.
  const query = parameters.toString().replaceAll('%2F', '/');
  return query === '' ? '/' : `/?${query}`;
}
