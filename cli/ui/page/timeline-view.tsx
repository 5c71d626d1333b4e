import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { within } from '../../output/times';
import { keyOf, type WorkloadRow } from '../model/live-message';
import type { LiveState } from '../model/live-state';
import { timelineOf } from '../model/timeline';
import type { View } from '../model/view';
import type { Go } from './hooks';
import { Ago, ObjectLink, StateMark, ViewLink } from './parts';
import { TimelineItems } from './timeline-items';

interface TimelineProps {
  readonly live: LiveState;
  readonly view: View;
  readonly go: Go;
  readonly nowMs: number;
}

/** What is under way, and what was. */
export function TimelineView({ live, view, go, nowMs }: TimelineProps): JSX.Element {
  const { rows, history, standing } = live;
  const { search, namespace } = view;
  const timeline = useMemo(
    () => timelineOf([...rows.values()], history, { search, namespace }),
    [rows, history, search, namespace],
  );
  return (
    <div class="timeline-view" tabIndex={0} role="region" aria-label="Timeline">
      <h2>Now</h2>
      {timeline.now.length === 0 ? <p class="quiet">Nothing is under way.</p> : undefined}
      <ul class="now">
        {timeline.now.map((row) => (
          <NowLine key={keyOf(row)} {...{ row, view, go, nowMs }} />
        ))}
      </ul>
      {timeline.moreNow === 0 ? undefined : (
        <p>
          <ViewLink {...{ view, go }} changes={{ tab: 'workloads' }}>
            and {timeline.moreNow} more, in the list of workloads
          </ViewLink>
        </p>
      )}
      <h2>Restarts</h2>
      {standing.from === 'leader' && !standing.hasHistory ? (
        <p class="quiet">
          This leader does not remember why it restarted a workload: it is of an older version. Only the times are
          known.
        </p>
      ) : undefined}
      {timeline.past.length === 0 ? <p class="quiet">There are none.</p> : undefined}
      <TimelineItems items={timeline.past} {...{ view, go, nowMs }} />
      {standing.historySince === undefined ? undefined : (
        <p class="quiet">Earlier restarts than {new Date(standing.historySince).toLocaleString()} are forgotten.</p>
      )}
    </div>
  );
}

/** What a workload waits for. */
function NowLine({
  row,
  view,
  go,
  nowMs,
}: {
  readonly row: WorkloadRow;
  readonly view: View;
  readonly go: Go;
  readonly nowMs: number;
}): JSX.Element {
  const { kind, namespace, name, state, waitsFor = 'its turn', errorCode, since, until } = row;
  return (
    <li>
      <StateMark state={state} />
      <ObjectLink {...{ view, go }} object={{ is: 'workload', kind, namespace, name }}>
        <span class="kind">{kind}</span> {name}
      </ObjectLink>
      <span class="quiet">{namespace}</span>
      <span>
        waits for {waitsFor}
        {errorCode === undefined ? '' : ` (${errorCode})`}
        {until === undefined ? '' : `, looked at again ${within(Date.parse(until) - nowMs)}`}
      </span>
      <span class="quiet item-at">{since === undefined ? '' : <Ago at={since} nowMs={nowMs} />}</span>
    </li>
  );
}
