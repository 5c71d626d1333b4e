import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LiveMessage } from '../model/live-message';
import { nothingTold, told, type LiveState } from '../model/live-state';
import { addressOf, viewOf, type View } from '../model/view';
import { after, every, nowMs } from './browser';
import type { Client, Connection } from './client';

/** What the process tells, as long as the page is in sight: a hidden page takes up a connection and asks for nothing. */
export function useLive(client: Client): { readonly live: LiveState; readonly connection: Connection } {
  const [live, setLive] = useState<LiveState>(nothingTold);
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    let following = new AbortController();
    const heard = (message: LiveMessage): void => setLive((state) => told(state, message));
    const look = (): void => {
      following.abort();
      following = new AbortController();
      if (document.visibilityState === 'visible') void client.follow(following.signal, heard, setConnection);
    };
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      following.abort();
    };
  }, [client]);
  return { live, connection };
}

/** Shows another view; with `replace`, the way back does not lead to the one before. */
export type Go = (changes: Partial<View>, replace?: boolean) => void;

/** The view in the address. */
export function useView(): readonly [View, Go] {
  const [view, setView] = useState<View>(() => viewOf(location.search));
  const shown = useRef(view);
  shown.current = view;
  useEffect(() => {
    const back = (): void => setView(viewOf(location.search));
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, []);
  const go = useCallback<Go>((changes, replace = false) => {
    const next = { ...shown.current, ...changes };
    shown.current = next;
    history[replace ? 'replaceState' : 'pushState'](null, '', addressOf(next));
    setView(next);
  }, []);
  return [view, go];
}

/** The wall clock, anew each second. */
export function useNow(): number {
  const [now, setNow] = useState(nowMs);
  useEffect(() => every(1_000, () => setNow(nowMs())), []);
  return now;
}

/** An answer, and whether it is of what is asked now. */
export interface Asked<Answer> {
  readonly answer: Answer | undefined;
  readonly problem: string | undefined;
}

/** Something may be busy, or restarting. */
const askAgainMs = 3_000;

/**
 * Asks anew when the path changes, or `version` does, and after a while if there was no answer. An answer is kept until
 * there is a newer one about the same.
 */
export function useAnswer<Answer>(client: Client, path: string, version: string): Asked<Answer> {
  const [asked, setAsked] = useState<Asked<Answer> & { readonly path: string }>({ ...nothingAsked, path });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const replaced = new AbortController();
    let cancelAgain = (): void => undefined;
    client
      .ask<Answer>(path, replaced.signal)
      .then((answer) => {
        if (!replaced.signal.aborted) setAsked({ path, answer, problem: undefined });
      })
      .catch((thrown: unknown) => {
        if (replaced.signal.aborted) return;
        const problem = thrown instanceof Error ? thrown.message : 'no answer';
        setAsked((before) => ({ path, answer: before.path === path ? before.answer : undefined, problem }));
        cancelAgain = after(askAgainMs, () => setAttempt((count) => count + 1));
      });
    return () => {
      replaced.abort();
      cancelAgain();
    };
  }, [client, path, version, attempt]);
  return asked.path === path ? asked : nothingAsked;
}

const nothingAsked = { answer: undefined, problem: undefined };
