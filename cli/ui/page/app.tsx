import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { filtered, ordered } from '../model/filters';
import { keyOf, type WorkloadRow } from '../model/live-message';
import { announcement, type LiveState } from '../model/live-state';
import { after } from './browser';
import type { Client, Connection } from './client';
import { FilterBar } from './filter-bar';
import { useLive, useNow, useView } from './hooks';
import { KeysDialog } from './keys-dialog';
import { Notices } from './notices';
import { ViewLink } from './parts';
import { SourcePanel } from './source-panel';
import { TimelineView } from './timeline-view';
import { usePageKeys } from './page-keys';
import { WorkloadGrid } from './workload-grid';
import { WorkloadPanel } from './workload-panel';

const none: readonly WorkloadRow[] = [];

/** The page. */
export function App({ client }: { readonly client: Client }): JSX.Element {
  const { live, connection } = useLive(client);
  const [view, go] = useView();
  const nowMs = useNow();
  const search = useRef<HTMLInputElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const changed = useJustChanged(live);
  const rows = useMemo(() => ordered([...live.rows.values()]), [live.rows]);
  const { search: words, namespace, state, opened } = view;
  const shown = useMemo(() => filtered(rows, { search: words, namespace, state }), [rows, words, namespace, state]);
  const close = (): void => {
    go({ opened: undefined });
    document.getElementById('workloads')?.focus();
  };
  usePageKeys({ search, dialog, view, go, close });
  const open = ({ kind, namespace: within, name }: WorkloadRow): void =>
    go({ opened: { is: 'workload', kind, namespace: within, name } });
  const isAsking = live.standing.from === 'asking' && connection !== 'no-token' && connection !== 'gone';
  return (
    <>
      <a class="skip" href="#main">
        Skip to the list
      </a>
      <header class="top">
        <h1>Reroll</h1>
        <nav aria-label="Views">
          <ViewLink {...{ view, go }} changes={{ tab: 'workloads' }} aria-current={current(view.tab === 'workloads')}>
            Workloads
          </ViewLink>
          <ViewLink {...{ view, go }} changes={{ tab: 'timeline' }} aria-current={current(view.tab === 'timeline')}>
            Timeline
          </ViewLink>
        </nav>
        <Source {...{ live, connection }} />
        <button type="button" class="plain" aria-keyshortcuts="?" onClick={() => dialog.current?.showModal()}>
          Keys
        </button>
      </header>
      <Notices connection={connection} standing={live.standing} />
      <FilterBar {...{ rows, view, go, search }} shown={shown.length} />
      <div class={opened ? 'columns with-panel' : 'columns'}>
        <main id="main" tabIndex={-1}>
          {isAsking ? (
            <p class="empty">Asking the leader…</p>
          ) : view.tab === 'timeline' ? (
            <TimelineView {...{ live, view, go, nowMs }} />
          ) : (
            <>
              <WorkloadGrid rows={shown} {...{ nowMs, changed, opened, open }} />
              {shown.length === 0 ? <p class="empty">{whyEmpty(rows, live)}</p> : undefined}
            </>
          )}
        </main>
        {opened?.is === 'workload' ? (
          <WorkloadPanel {...{ client, live, view, go, nowMs, close }} object={opened} />
        ) : undefined}
        {opened?.is === 'source' ? (
          <SourcePanel {...{ client, view, go, close }} object={opened} version={statesIn(rows, opened.namespace)} />
        ) : undefined}
      </div>
      <Announcer live={live} />
      <KeysDialog dialog={dialog} />
    </>
  );
}

function current(is: boolean): 'page' | undefined {
  return is ? 'page' : undefined;
}

function whyEmpty(rows: readonly WorkloadRow[], { standing, namespace }: LiveState): string {
  if (standing.from === 'lost') return 'Nothing is known yet.';
  if (rows.length > 0) return 'No workload fits the filter.';
  return `No workload${namespace === undefined ? '' : ` in namespace ${namespace}`} asks for restarts.`;
}

/** Changes when a workload of the namespace comes, goes, or restarts: then other workloads may use the source. */
function statesIn(rows: readonly WorkloadRow[], namespace: string): string {
  const within = rows.length === 0 ? none : rows.filter((row) => row.namespace === namespace);
  return within.map((row) => `${keyOf(row)} ${row.lastRestartAt ?? ''}`).join();
}

/** Who answers. */
function Source({ live, connection }: { readonly live: LiveState; readonly connection: Connection }): JSX.Element {
  const { from, leader = '' } = live.standing;
  const isLive = connection === 'open' && from === 'leader';
  const text = isLive
    ? `live from ${leader}`
    : connection === 'open' && from === 'objects'
      ? 'from objects'
      : 'not live';
  return (
    <p class={isLive ? 'source source-live' : 'source'}>
      {text}
      {live.namespace === undefined ? '' : `, namespace ${live.namespace} alone`}
    </p>
  );
}

const shownForMs = 2_000;

/** The rows that have just changed: they are marked for a moment. */
function useJustChanged({ rows, justChanged }: LiveState): ReadonlySet<string> {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (justChanged.length === 0) return;
    setChanged(new Set(justChanged));
    return after(shownForMs, () => setChanged(new Set()));
  }, [rows, justChanged]);
  return changed;
}

/** A screen reader that is told more often says nothing else. */
const spokenEveryMs = 3_000;

/** Says what has changed. */
function Announcer({ live }: { readonly live: LiveState }): JSX.Element {
  const [text, setText] = useState('');
  const isQuiet = useRef(false);
  useEffect(() => {
    const next = announcement(live);
    if (next === undefined || isQuiet.current) return;
    setText(next);
    isQuiet.current = true;
    after(spokenEveryMs, () => (isQuiet.current = false));
  }, [live]);
  return (
    <p class="unseen" aria-live="polite">
      {text}
    </p>
  );
}
