import type { JSX, RefObject } from 'preact';
import type { WorkloadRow } from '../model/live-message';
import { namespacesOf, statesOf } from '../model/filters';
import type { View } from '../model/view';
import type { Go } from './hooks';
import { grouped } from './parts';

export interface FilterBarProps {
  readonly rows: readonly WorkloadRow[];
  readonly view: View;
  readonly go: Go;
  readonly shown: number;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** Search, namespace and state. All of them are in the address. */
export function FilterBar({ rows, view, go, shown, search }: FilterBarProps): JSX.Element {
  const isFiltered = view.search !== '' || view.namespace !== '' || view.state !== '';
  // A state is of now, and the timeline is of then.
  const isTimeline = view.tab === 'timeline';
  const namespaces = namespacesOf(rows);
  const isKnown = view.namespace === '' || namespaces.some(({ value }) => value === view.namespace);
  return (
    <search class="filters" aria-label="Filter">
      <label class="search">
        <span class="unseen">Search</span>
        <input
          ref={search}
          type="search"
          placeholder="Search   /"
          autocomplete="off"
          spellcheck={false}
          value={view.search}
          aria-keyshortcuts="/"
          onInput={(event) => go({ search: event.currentTarget.value }, true)}
        />
      </label>
      <label>
        <span class="unseen">Namespace</span>
        <select value={view.namespace} onChange={(event) => go({ namespace: event.currentTarget.value })}>
          <option value="">All namespaces</option>
          {isKnown ? undefined : <option value={view.namespace}>{view.namespace} (0)</option>}
          {namespaces.map(({ value, count }) => (
            <option key={value} value={value}>
              {value} ({count})
            </option>
          ))}
        </select>
      </label>
      {isTimeline ? undefined : <StateChips {...{ rows, view, go }} />}
      <p class="shown" role="status">
        {isTimeline
          ? ''
          : isFiltered
            ? `${grouped(shown)} of ${grouped(rows.length)} workloads`
            : `${grouped(rows.length)} workloads`}
      </p>
      {isFiltered ? (
        <button type="button" class="plain" onClick={() => go({ search: '', namespace: '', state: '' })}>
          Clear
        </button>
      ) : undefined}
    </search>
  );
}

function StateChips({ rows, view, go }: Pick<FilterBarProps, 'rows' | 'view' | 'go'>): JSX.Element {
  return (
    <div class="states" role="group" aria-label="State">
      {statesOf(rows, view.namespace).map(({ value, count }) => (
        <button
          key={value}
          type="button"
          class={`chip chip-${value}`}
          aria-pressed={view.state === value}
          onClick={() => go({ state: view.state === value ? '' : value })}
        >
          {value} <span class="count">{grouped(count)}</span>
        </button>
      ))}
    </div>
  );
}
