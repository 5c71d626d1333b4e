import type { JSX, RefObject } from 'preact';

const keys: readonly (readonly [key: string, what: string])[] = [
  ['/', 'search'],
  ['w', 'workloads'],
  ['t', 'timeline'],
  ['↑ ↓ Page Up Page Down Home End', 'move in the list'],
  ['Enter', 'open what is chosen'],
  ['Esc', 'close the panel, or clear the search'],
  ['?', 'these keys'],
];

/** The keys of the page. */
export function KeysDialog({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }): JSX.Element {
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
