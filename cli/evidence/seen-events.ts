import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { printable } from '../../shared/domain/text/printable';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects, type RequestLimits } from '../../shared/kube/client/objects';
import { events } from '../../shared/kube/resource';
import { look, type Seen } from './seen';

/** An Event that Reroll has written. */
export interface SeenEvent {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Nobody reads more. */
const maxEvents = 10;

/** The Events of Reroll about one object, newest first. API servers keep them for an hour. */
export async function readEvents(
  client: KubeClient,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  limits: RequestLimits,
): Promise<Seen<readonly SeenEvent[]>> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const seen = await look(listObjects(client, events, namespace, { ...limits, fieldSelector }));
  if (seen.is !== 'there') return seen;
  const own = seen.value.filter((event) => fieldAt(event, ['source', 'component']) === 'reroll').map(eventOf);
  return { is: 'there', value: own.toSorted((left, right) => right.atMs - left.atMs).slice(0, maxEvents) };
}

function eventOf(event: unknown): SeenEvent {
  const text = (field: string): string => printable(textOf(fieldAt(event, [field])) ?? '');
  const atMs = Date.parse(text('lastTimestamp'));
  return { atMs: Number.isNaN(atMs) ? 0 : atMs, type: text('type'), reason: text('reason'), message: text('message') };
}
