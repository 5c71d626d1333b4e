import type { JSX } from 'preact';
import type { HistoryCause } from '../model/live-message';
import type { Step, TimelineItem } from '../model/timeline';
import type { View } from '../model/view';
import type { Go } from './hooks';
import { Ago, ObjectLink } from './parts';

interface ItemsProps {
  readonly items: readonly TimelineItem[];
  readonly view: View;
  readonly go: Go;
  readonly nowMs: number;
  /** The panel of a workload does not name it again. */
  readonly isOfOne?: boolean;
}

/** Restarts, each as the way from a change to pods that run with it. */
export function TimelineItems({ items, view, go, nowMs, isOfOne = false }: ItemsProps): JSX.Element {
  return (
    <ol class="timeline">
      {items.map((item) => (
        <li key={item.key} class={`item item-${item.tone}`}>
          {isOfOne ? undefined : (
            <p class="item-title">
              <ObjectLink {...{ view, go }} object={{ ...nameOf(item), is: 'workload' }}>
                <span class="kind">{item.kind}</span> {item.name}
              </ObjectLink>
              <span class="quiet">{item.namespace}</span>
              <span class="quiet item-at">
                <Ago at={item.at} nowMs={nowMs} />
              </span>
            </p>
          )}
          {item.steps.length === 0 ? undefined : (
            <ol class="steps">
              {item.steps.map((step) => (
                <StepPart key={step.is} step={step} />
              ))}
            </ol>
          )}
          {item.causes.map((cause) => (
            <Cause key={`${cause.kind}/${cause.name}`} {...{ cause, view, go }} namespace={item.namespace} />
          ))}
          {item.moreCauses === 0 ? undefined : <p class="quiet">and {item.moreCauses} more</p>}
        </li>
      ))}
    </ol>
  );
}

function nameOf({ kind, namespace, name }: TimelineItem) {
  return { kind, namespace, name };
}

function StepPart({ step }: { readonly step: Step }): JSX.Element {
  return (
    <li class={`step step-${step.state}`}>
      <span class="step-title">
        {step.title}
        <span class="unseen">: {step.state}</span>
      </span>
      <span class="step-detail">{step.detail}</span>
      <span class="step-detail">{step.at === undefined ? undefined : clock(step.at)}</span>
    </li>
  );
}

/** @example '12:00:01' */
function clock(at: string): JSX.Element {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {new Date(at).toLocaleTimeString([], { hour12: false })}
    </time>
  );
}

function Cause({
  cause,
  namespace,
  view,
  go,
}: {
  readonly cause: HistoryCause;
  readonly namespace: string;
  readonly view: View;
  readonly go: Go;
}): JSX.Element {
  const { kind, name, author, manager, keys = [], why, change } = cause;
  const by = author === undefined ? manager : manager === undefined ? author : `${author} (${manager})`;
  return (
    <p class="cause">
      <ObjectLink {...{ view, go }} object={{ is: 'source', kind, namespace: cause.namespace ?? namespace, name }}>
        {kind} {name}
      </ObjectLink>
      <span>{why}</span>
      {keys.map((key) => (
        <code key={key} title="key">
          {key}
        </code>
      ))}
      {by === undefined ? undefined : <span>by {by}</span>}
      {change === undefined ? undefined : <span class="quiet">change {change}</span>}
    </p>
  );
}
