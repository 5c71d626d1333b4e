import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { OpenedObject } from '../model/view';

interface PanelProps {
  readonly object: OpenedObject;
  readonly close: () => void;
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  readonly children: ComponentChildren;
}

/** The frame of what is told about one object. Its heading gets the focus, so that a screen reader begins there. */
export function Panel({ object, close, problem, isLoading, children }: PanelProps): JSX.Element {
  const { kind, namespace, name } = object;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [kind, namespace, name]);
  return (
    <aside class="panel" aria-labelledby="panel-title" aria-busy={isLoading}>
      <header>
        <div>
          <p class="kind">
            {kind} <span class="quiet">in {namespace}</span>
          </p>
          <h2 id="panel-title" tabIndex={-1} ref={heading}>
            {name}
          </h2>
        </div>
        <button type="button" class="close" aria-label="Close" aria-keyshortcuts="Escape" onClick={close}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M4 4l8 8M12 4l-8 8" />
          </svg>
        </button>
      </header>
      {problem === undefined ? undefined : (
        <p class="notice notice-bad" role="alert">
          <strong>There is no answer:</strong> {problem}.
        </p>
      )}
      {isLoading && problem === undefined ? <p class="quiet">Asking…</p> : undefined}
      {children}
    </aside>
  );
}
