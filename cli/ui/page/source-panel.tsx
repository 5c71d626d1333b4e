import type { JSX } from 'preact';
import type { SourceAnswer, UserLine } from '../model/answers';
import { fitting, sourcePicture, type DrawnUser } from '../model/source-picture';
import { addressOf, type OpenedObject, type View } from '../model/view';
import type { Client } from './client';
import { useAnswer, type Go } from './hooks';
import { Panel } from './panel';
import { ObjectLink, Rule, TableHead } from './parts';

interface SourcePanelProps {
  readonly client: Client;
  readonly object: OpenedObject;
  /** Changes when something may have happened to a user of the source. */
  readonly version: string;
  readonly view: View;
  readonly go: Go;
  readonly close: () => void;
}

/** What `reroll users` says about a source: as a picture, and as a table. */
export function SourcePanel({ client, object, version, view, go, close }: SourcePanelProps): JSX.Element {
  const { kind, namespace, name } = object;
  const { answer, problem } = useAnswer<SourceAnswer>(client, `/api/sources/${kind}/${namespace}/${name}`, version);
  return (
    <Panel {...{ object, close, problem }} isLoading={answer === undefined}>
      {answer ? (
        <>
          <p class={answer.isBad ? 'headline headline-bad' : 'headline'}>{answer.headline}</p>
          {answer.stages ? (
            <p class={answer.stages.isBad ? 'notice notice-bad' : 'notice notice-warn'}>{answer.stages.text}.</p>
          ) : undefined}
          {answer.users.length === 0 ? undefined : (
            <>
              <Picture {...{ answer, view, go }} />
              <h3>Users</h3>
              <UserTable {...{ answer, view, go }} />
            </>
          )}
          {answer.moreUsers === 0 ? undefined : <p class="quiet">and {answer.moreUsers} more</p>}
          <p class="quiet foot">{answer.answeredBy}</p>
        </>
      ) : undefined}
    </Panel>
  );
}

interface AnswerProps {
  readonly answer: SourceAnswer;
  readonly view: View;
  readonly go: Go;
}

/** What a change reaches: full lines lead to workloads that restart, dashed ones to those that do not. */
function Picture({ answer, view, go }: AnswerProps): JSX.Element {
  const { width, height, source, users, rest, restAt } = sourcePicture(answer);
  const { kind, name } = answer;
  return (
    <figure class="picture">
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Users of ${kind} ${name}; the table has all`}>
        {users.map(({ user, line }) => (
          <path key={`${user.kind}/${user.name}`} d={line} class={user.restarts ? 'edge edge-restarts' : 'edge'} />
        ))}
        <g class="node node-source">
          <rect {...source} rx="10" />
          <text x={source.x + 14} y={source.y + 23} class="node-kind">
            {kind}
          </text>
          <text x={source.x + 14} y={source.y + 42}>
            {fitting(name, 20)}
          </text>
          <title>{`${kind} ${name}`}</title>
        </g>
        {users.map((drawn) => (
          <Node key={`${drawn.user.kind}/${drawn.user.name}`} {...{ drawn, view, go }} namespace={answer.namespace} />
        ))}
        {rest === '' ? undefined : (
          <text x={restAt.x} y={restAt.y} class="rest" text-anchor="middle">
            {rest}
          </text>
        )}
      </svg>
      <figcaption class="quiet">A full line: a change restarts it. A dashed one: it does not.</figcaption>
    </figure>
  );
}

function Node({
  drawn: { user, box },
  namespace,
  view,
  go,
}: {
  readonly drawn: DrawnUser;
  readonly namespace: string;
  readonly view: View;
  readonly go: Go;
}): JSX.Element {
  const changes: Partial<View> = { opened: { is: 'workload', kind: user.kind, namespace, name: user.name } };
  const middle = box.y + box.height / 2 + 5;
  return (
    <a
      href={addressOf({ ...view, ...changes })}
      class={user.restarts ? 'node node-restarts' : 'node'}
      aria-label={`${user.kind} ${user.name}: ${user.restarts ? 'restarts' : 'does not restart'}`}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(changes);
      }}
    >
      <rect {...box} rx="8" />
      <circle cx={box.x + 16} cy={box.y + box.height / 2} r="4" />
      <text x={box.x + 30} y={middle}>
        {fitting(`${user.kind.toLowerCase()}/${user.name}`, 26)}
      </text>
      <title>{`${user.kind} ${user.name}: ${user.because}`}</title>
    </a>
  );
}

function UserTable({ answer: { users, namespace }, view, go }: AnswerProps): JSX.Element {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Users">
      <table>
        <TableHead titles={['Workload', 'Restarts', 'Keys', 'Because']} />
        <tbody>
          {users.map((user: UserLine) => (
            <tr key={`${user.kind}/${user.name}`}>
              <th scope="row">
                <ObjectLink {...{ view, go }} object={{ is: 'workload', kind: user.kind, namespace, name: user.name }}>
                  <span class="kind">{user.kind}</span> {user.name}
                </ObjectLink>
              </th>
              <td class={user.restarts ? 'yes' : 'no'}>{user.restarts ? 'yes' : 'no'}</td>
              <td>{user.keys}</td>
              <td>
                {user.because}
                <br />
                <Rule rule={user.by} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
