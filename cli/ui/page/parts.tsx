import { Fragment, type ComponentChildren, type JSX } from 'preact';
import { ago } from '../../output/times';
import { knownState, stateShapes } from '../model/state-shapes';
import { addressOf, type OpenedObject, type View } from '../model/view';
import type { Go } from './hooks';

/** A state in words, with its shape and colour. */
export function StateMark({ state, text = state }: { readonly state: string; readonly text?: string }): JSX.Element {
  const known = knownState(state);
  return (
    <span class={`state state-${known}`}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        {known === 'in-step' ? undefined : <circle cx="8" cy="8" r="6.5" />}
        <path d={stateShapes[known]} />
      </svg>
      {text}
    </span>
  );
}

/** The titles of a table's columns. */
export function TableHead({ titles }: { readonly titles: readonly string[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** An annotation or a flag, which may be broken behind its dots and slashes. */
export function Rule({ rule }: { readonly rule: string }): JSX.Element {
  return (
    <span class="rule">
      {rule.split(/(?<=[./])/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}

/** @example '5,000' */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** A time, as long ago as it is. */
export function Ago({ at, nowMs }: { readonly at: string; readonly nowMs: number }): JSX.Element {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(Math.max(0, nowMs - Date.parse(at)))}
    </time>
  );
}

/** A link to a view of this page. With a key that opens a new tab, the browser does that. */
export function ViewLink({
  view,
  go,
  changes,
  children,
  ...more
}: {
  readonly view: View;
  readonly go: Go;
  readonly changes: Partial<View>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | undefined;
}): JSX.Element {
  return (
    <a
      {...more}
      href={addressOf({ ...view, ...changes })}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(changes);
      }}
    >
      {children}
    </a>
  );
}

/** A link to the panel of a workload or source. */
export function ObjectLink({
  view,
  go,
  object,
  children,
}: {
  readonly view: View;
  readonly go: Go;
  readonly object: OpenedObject;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <ViewLink view={view} go={go} changes={{ opened: object }} class="object">
      {children}
    </ViewLink>
  );
}
