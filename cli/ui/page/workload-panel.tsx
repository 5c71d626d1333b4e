import type { JSX } from 'preact';
import type { SourceLine, WorkloadAnswer } from '../model/answers';
import { keyOf } from '../model/live-message';
import { versionOf, type LiveState } from '../model/live-state';
import { timelineOf } from '../model/timeline';
import type { OpenedObject, View } from '../model/view';
import type { Client } from './client';
import { useAnswer, type Go } from './hooks';
import { Panel } from './panel';
import { Ago, ObjectLink, Rule, StateMark, TableHead } from './parts';
import { TimelineItems } from './timeline-items';

interface WorkloadPanelProps {
  readonly client: Client;
  readonly object: OpenedObject;
  /** What the page was told of it. */
  readonly live: LiveState;
  readonly view: View;
  readonly go: Go;
  readonly nowMs: number;
  readonly close: () => void;
}

/** What `reroll why` says about a workload. It is asked anew when the row of the workload changes, or a restart of it ends. */
export function WorkloadPanel({ client, object, live, view, go, nowMs, close }: WorkloadPanelProps): JSX.Element {
  const { kind, namespace, name } = object;
  // Without a row, nothing restarts it.
  const row = live.rows.get(keyOf(object));
  const path = `/api/workloads/${kind}/${namespace}/${name}`;
  const { answer, problem } = useAnswer<WorkloadAnswer>(client, path, versionOf(live, object));
  return (
    <Panel {...{ object, close, problem }} isLoading={answer === undefined}>
      <p class="now-line">
        {row ? <StateMark state={row.state} text={answer?.standing?.[0] ?? row.state} /> : undefined}
        <span class="quiet">{answer?.standing?.slice(row ? 1 : 0).join(', ')}</span>
      </p>
      {answer ? <Answer {...{ answer, view, go, nowMs }} /> : undefined}
    </Panel>
  );
}

function Answer({
  answer,
  view,
  go,
  nowMs,
}: {
  readonly answer: WorkloadAnswer;
  readonly view: View;
  readonly go: Go;
  readonly nowMs: number;
}): JSX.Element {
  const { headline, isBad, answeredBy, sources, moreSources, notes, mistakes, events, history } = answer;
  const past = history ? timelineOf([], history, { search: '', namespace: '' }).past : [];
  return (
    <>
      <p class={isBad ? 'headline headline-bad' : 'headline'}>{headline}</p>
      <h3>Sources</h3>
      {sources.length === 0 ? (
        <p class="quiet">It uses and lists no source.</p>
      ) : (
        <SourceTable {...{ sources, view, go }} namespace={answer.namespace} />
      )}
      {moreSources === 0 ? undefined : <p class="quiet">and {moreSources} more</p>}
      <Lines title="To let a source count" lines={sources.flatMap(howLine)} />
      <Lines title="Mistakes in its annotations" lines={mistakes} />
      <Lines title="Notes" lines={notes} />
      {past.length === 0 ? undefined : (
        <>
          <h3>Restarts</h3>
          <TimelineItems items={past} {...{ view, go, nowMs }} isOfOne />
        </>
      )}
      {events.length === 0 ? undefined : (
        <>
          <h3>Events</h3>
          <ul class="lines">
            {events.map(({ at, reason, message }) => (
              <li key={`${at} ${message}`}>
                <span class="quiet">
                  <Ago {...{ at, nowMs }} /> · {reason}
                </span>{' '}
                {message}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="quiet foot">{answeredBy}</p>
    </>
  );
}

function howLine({ kind, name, how }: SourceLine): readonly string[] {
  return how === undefined ? [] : [`${kind} ${name}: ${how}`];
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

function SourceTable({
  sources,
  namespace,
  view,
  go,
}: {
  readonly sources: readonly SourceLine[];
  readonly namespace: string;
  readonly view: View;
  readonly go: Go;
}): JSX.Element {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Sources">
      <table>
        <TableHead titles={['Source', 'Keys', 'Counts', 'By', 'Now']} />
        <tbody>
          {sources.map(({ kind, name, keys, counts, by, now }) => (
            <tr key={`${kind}/${name}`}>
              <th scope="row">
                <ObjectLink {...{ view, go }} object={{ is: 'source', kind, namespace, name }}>
                  <span class="kind">{kind}</span> {name}
                </ObjectLink>
              </th>
              <td>{keys}</td>
              <td class={counts ? 'yes' : 'no'}>{counts ? 'yes' : 'no'}</td>
              <td>
                <Rule rule={by} />
              </td>
              <td>{now}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
