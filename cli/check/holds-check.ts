import { installHoldName } from '../../shared/domain/annotations/annotations';
import { reportedHoldOf } from '../../shared/domain/gates/reported-gates';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import { describeHold, type ReportedHold } from '../../shared/domain/protocol/install-hold';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { installHoldWatch, namespaceWatch } from '../evidence/gate-watches';
import { readInstallHold, whetherHeld } from '../evidence/seen-hold';
import { valueOf } from '../evidence/seen';
import { ago, timeAndWait } from '../output/times';
import type { Facts } from '../parts/facts';
import { ok, together, unknown, warning, type Check, type Finding } from './finding';

const grant = 'grant it with the chart (helm upgrade) or with deploy/rbac.yaml: docs/rights.md';

/** Nothing holds all restarts, and whoever wants to hold some can. */
export const holdsCheck: Check = {
  name: 'holds',
  look: async (facts) => {
    const { callsInstead } = await facts.install();
    if (callsInstead) return ok('with --webhook-url nothing is restarted, so nothing is held');
    const health = await facts.health();
    const held = health.silence ? await heldByObjects(facts) : await heldByLeader(facts, health.said);
    const unseen = health.silence ? [] : await unseenHolds(facts, health.said);
    return together(ok('not everything is held'), ...held, ...unseen);
  },
};

async function heldByLeader(facts: Facts, { hold }: Tolerant<HealthInspection>): Promise<readonly Finding[]> {
  if (!hold) return [];
  const seen = await readHold(facts);
  return [heldFinding(facts, hold, valueOf(seen)?.sinceMs)];
}

async function heldByObjects(facts: Facts): Promise<readonly Finding[]> {
  const seen = await readHold(facts);
  if (seen.is === 'hidden') return [unknown(whetherHeld(seen))];
  const hold = reportedHoldOf(valueOf(seen), facts.nowMs());
  return hold ? [heldFinding(facts, hold, valueOf(seen)?.sinceMs)] : [];
}

async function readHold(facts: Facts): ReturnType<typeof readInstallHold> {
  const { cluster, rerollNamespace, timeoutMs } = facts.options;
  return await readInstallHold(cluster.client, rerollNamespace, { timeoutMs });
}

function heldFinding(facts: Facts, hold: ReportedHold, sinceMs: number | undefined): Finding {
  const nowMs = facts.nowMs();
  const since = sinceMs === undefined ? '' : `, set ${ago(nowMs - sinceMs)}`;
  return warning(
    `no restart begins: everything is ${describeHold(hold, (time) => timeAndWait(time, nowMs))}${since}`,
    'reroll resume --all, unless it is meant',
  );
}

/** Holds that somebody may set, and that the leader does not see. */
async function unseenHolds(facts: Facts, health: Tolerant<HealthInspection>): Promise<readonly Finding[]> {
  const { settings } = await facts.install();
  const { rerollNamespace } = facts.options;
  // Where namespaces are selected by label, the check of the watches says what follows.
  const isNamespaceUnseen = settings.selection.namespaceSelector.isEverything && namespaceWatch(health)?.refused;
  return [
    ...(isNamespaceUnseen
      ? [warning('the leader may not list namespaces, so their annotations, such as holds, do not count', grant)]
      : []),
    ...(installHoldWatch(health)?.refused
      ? [
          warning(
            `the leader may not list ConfigMap ${rerollNamespace}/${installHoldName}, so 'reroll pause --all' has no effect`,
            grant,
          ),
        ]
      : []),
  ];
}
