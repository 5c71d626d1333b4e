import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { gateLevels } from '../../shared/domain/gates/gate-levels';
import { holdGate } from '../../shared/domain/gates/hold-gate';
import { deferralOf } from '../../shared/domain/gates/reported-gates';
import { describeDeferral } from '../../shared/domain/protocol/deferral';
import { sourceKinds, type LocalSourceRef } from '../../shared/domain/sources/source';
import type { Cluster } from '../cluster/cluster';
import { NoAnswerError } from '../cluster/silence';
import { endOfHold, type HeldChange } from '../evidence/end-of-hold';
import { readInstall } from '../evidence/install';
import { readPlace } from '../evidence/place';
import { namesOf } from '../output/phrases';
import { timeAndWait } from '../output/times';
import { factsOf, type Case } from '../why/case';
import { gateBearer } from '../why/gate-bearer';
import { readCase } from '../why/read-case';
import { whyNotCounted } from '../why/source-headline';
import type { HoldTarget } from './hold-target';

/** A hold that is in force although another one has just ended. */
export interface StillHeld {
  /** @example 'it is still held by reroll.dev/hold on namespace shop: release freeze' */
  readonly says: string;
  /** The command that ends it. */
  readonly endedBy: string;
}

interface Around {
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
  /** What the object says now. */
  readonly own: GateSettings | undefined;
}

/** What still holds, as the objects tell, if they may be read. @throws KubeError */
export async function readStillHeld(
  cluster: Cluster,
  target: HoldTarget,
  around: Around,
): Promise<readonly StillHeld[]> {
  switch (target.is) {
    case 'everything':
      return [];
    case 'workload':
      return await ofWorkload(cluster, target, around);
    case 'source':
      return await ofPlace(cluster, cluster.namespace, target, around);
    case 'namespace':
      return await ofPlace(cluster, target.name, anySource, { ...around, own: undefined });
  }
}

/** A source that says nothing itself. */
const anySource: LocalSourceRef = { kind: 'ConfigMap', name: '' };

async function ofPlace(
  cluster: Cluster,
  namespace: string,
  { kind, name }: LocalSourceRef,
  { own, rerollNamespace, timeoutMs }: Around,
): Promise<readonly StillHeld[]> {
  const install = await readInstall(cluster.client, rerollNamespace, { timeoutMs });
  const place = await readPlace(cluster.client, namespace, { install, rerollNamespace }, { timeoutMs });
  const change = { workload: undefined, source: { kind, name, gates: own }, place, nowMs: cluster.clock.nowMs() };
  const hold = holdOn(change);
  return hold === undefined ? [] : [{ says: `it is still ${hold}`, endedBy: endOfHold(change) }];
}

async function ofWorkload(
  cluster: Cluster,
  { kind, name }: Extract<HoldTarget, { readonly is: 'workload' }>,
  { rerollNamespace, timeoutMs }: Around,
): Promise<readonly StillHeld[]> {
  const nowMs = (): number => cluster.clock.nowMs();
  const asked = { kind, namespace: cluster.namespace, name };
  try {
    const { about } = await readCase(cluster, asked, undefined, { rerollNamespace, timeoutMs, nowMs });
    return holdsIn(about);
  } catch (thrown) {
    // Who may not read it may well have been allowed to resume it.
    if (thrown instanceof NoAnswerError) return [];
    throw thrown;
  }
}

/** By the hold, which sources of a workload it concerns. */
function holdsIn(about: Case): readonly StillHeld[] {
  const changes = changesOf(about);
  const held = new Map<string, Change[]>();
  for (const change of changes) {
    const hold = holdOn(change);
    if (hold !== undefined) held.set(hold, [...(held.get(hold) ?? []), change]);
  }
  return [...held].flatMap(([hold, those]) => {
    const [first] = those;
    if (!first) return [];
    const what =
      those.length === changes.length ? 'it is' : `changes of ${namesOf(those.map(({ source }) => source))} are`;
    return [{ says: `${what} still ${hold}`, endedBy: endOfHold(first) }];
  });
}

type Change = HeldChange & { readonly source: LocalSourceRef & HeldChange['source'] };

function changesOf(about: Case): readonly Change[] {
  const { account, facts, place, nowMs } = about;
  if (!account.tracked) return [];
  const workload = { ...gateBearer(about, 'hold'), gates: facts?.record.gates };
  return account.sources.flatMap((source) => {
    const known = sourceKinds.find((each) => each === source.kind);
    if (!known || whyNotCounted(about, source) !== undefined) return [];
    const gates = factsOf(about, source)?.gates;
    return [{ workload, source: { kind: known, name: source.name, gates }, place, nowMs }];
  });
}

/** @example 'held by reroll.dev/hold on namespace shop: release freeze' */
function holdOn({ workload, source, place, nowMs }: Change): string | undefined {
  const levels = gateLevels({ workload: workload?.gates, source, namespace: place, install: undefined });
  const closed = holdGate({ installHold: place.installHold, levels, lastRestartMs: undefined, nowMs });
  return closed && describeDeferral(deferralOf(closed), (time) => timeAndWait(time, nowMs));
}
