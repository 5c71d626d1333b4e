import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { within } from '../../output/times';
import { keyOf, type WorkloadRow } from '../model/live-message';
import { rowAfterKey, rowWindow, scrollTo } from '../model/row-window';
import type { OpenedObject } from '../model/view';
import { Ago, StateMark } from './parts';

const rowHeight = 40;

/** The head stays at the top, above the rows. */
const headHeight = 41;

const titles = ['State', 'Workload', 'Namespace', 'Waits for', 'Until', 'Last restart'];

export interface GridProps {
  readonly rows: readonly WorkloadRow[];
  readonly nowMs: number;
  readonly changed: ReadonlySet<string>;
  readonly opened: OpenedObject | undefined;
  readonly open: (row: WorkloadRow) => void;
}

/** All workloads that fit the filters. Only what is in sight is drawn, so thousands scroll as ten do. */
export function WorkloadGrid({ rows, nowMs, changed, opened, open }: GridProps): JSX.Element {
  const grid = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ scrollTop: 0, height: 800 });
  const [chosen, setChosen] = useState('');
  const index = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === chosen),
  );
  useLayoutEffect(() => {
    const element = grid.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setPlace(placeOf(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // A row that a link names is brought into sight once.
  const openedKey = opened?.is === 'workload' ? keyOf(opened) : '';
  useEffect(() => {
    if (openedKey !== '') setChosen(openedKey);
  }, [openedKey]);
  const { first, end } = rowWindow(rows.length, { ...place, rowHeight });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[index];
    if (event.key === 'Enter' && row) {
      event.preventDefault();
      open(row);
      return;
    }
    const perPage = Math.max(1, Math.floor(place.height / rowHeight) - 1);
    const next = rowAfterKey(event.key, index, { count: rows.length, perPage });
    const nextRow = next === undefined ? undefined : rows[next];
    if (next === undefined || !nextRow || !grid.current) return;
    event.preventDefault();
    setChosen(keyOf(nextRow));
    const top = scrollTo(next, { ...place, rowHeight });
    if (top !== undefined) grid.current.scrollTop = top;
  }

  return (
    <div
      ref={grid}
      class="grid"
      id="workloads"
      role="grid"
      tabIndex={0}
      aria-label="Workloads: arrow keys move, Enter opens"
      aria-rowcount={rows.length + 1}
      aria-colcount={titles.length}
      aria-activedescendant={rows[index] && index >= first && index < end ? `row-${index}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => setPlace(placeOf(event.currentTarget))}
    >
      <div role="rowgroup" class="grid-head">
        <div role="row" aria-rowindex={1} class="grid-row">
          {titles.map((title) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, offset) => {
          const key = keyOf(row);
          const position = first + offset;
          return (
            <Row
              key={key}
              {...{ row, position, nowMs }}
              isChosen={position === index}
              isOpened={key === openedKey}
              isChanged={changed.has(key)}
              open={() => {
                setChosen(key);
                open(row);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

function placeOf({ scrollTop, clientHeight }: HTMLElement) {
  return { scrollTop, height: clientHeight - headHeight };
}

interface RowProps {
  readonly row: WorkloadRow;
  readonly position: number;
  readonly nowMs: number;
  readonly isChosen: boolean;
  readonly isOpened: boolean;
  readonly isChanged: boolean;
  readonly open: () => void;
}

function Row({ row, position, nowMs, isChosen, isOpened, isChanged, open }: RowProps): JSX.Element {
  const { kind, namespace, name, state, waitsFor = '', errorCode, until, lastRestartAt } = row;
  const marks = [isChosen ? 'chosen' : '', isOpened ? 'opened' : '', isChanged ? 'changed' : ''];
  return (
    <div
      role="row"
      id={`row-${position}`}
      aria-rowindex={position + 2}
      aria-selected={isOpened}
      class={`grid-row ${marks.join(' ')}`}
      style={{ transform: `translateY(${position * rowHeight}px)` }}
      onClick={open}
    >
      <span role="gridcell">
        <StateMark state={state} />
      </span>
      <span role="gridcell" class="name" title={`${kind} ${name}`}>
        <span class="kind">{kind}</span> {name}
      </span>
      <span role="gridcell" title={namespace}>
        {namespace}
      </span>
      <span role="gridcell" class="quiet">
        {waitsFor}
        {errorCode === undefined ? '' : ` (${errorCode})`}
      </span>
      <span role="gridcell" class="quiet">
        {until === undefined ? '' : within(Date.parse(until) - nowMs)}
      </span>
      <span role="gridcell" class="quiet">
        {lastRestartAt === undefined ? 'never' : <Ago at={lastRestartAt} nowMs={nowMs} />}
      </span>
    </div>
  );
}
