import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { View } from '../model/view';
import type { Go } from './hooks';

interface KeyTargets {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly view: View;
  readonly go: Go;
  readonly close: () => void;
}

/** Keys of the whole page. Single letters do nothing while somebody writes. */
export function usePageKeys({ search, dialog, view, go, close }: KeyTargets): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.current?.open === true) return;
      if (key === 'Escape') {
        if (view.opened) close();
        else if (view.search !== '') go({ search: '' });
        return;
      }
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
        if (key === 'ArrowDown' && target === search.current) document.getElementById('workloads')?.focus();
        return;
      }
      if (key === '/') {
        event.preventDefault();
        search.current?.focus();
        search.current?.select();
      }
      if (key === 'w') go({ tab: 'workloads' });
      if (key === 't') go({ tab: 'timeline' });
      if (key === '?') dialog.current?.showModal();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [view, go, close]);
}
