import type { LeaseRecord } from '../../shared/kube/lease/lease-record';
import { valueOf } from '../evidence/seen';
import { ago } from '../output/times';
import type { Facts } from '../parts/facts';
import { failed, ok, unknown, warning, type Check, type Finding } from './finding';

/** Without `--pod-name`, eight random digits follow the name of the pod: see docs/inspection.md. */
const randomSuffix = /-[0-9a-f]{8}$/;

/** One replica holds the Lease, and renews it. */
export const leaseCheck: Check = {
  name: 'lease',
  look: async (facts) => {
    const { rerollNamespace, leaseName } = facts.options;
    const lease = await facts.lease();
    const { isKnown, dryRun } = await facts.install();
    if (isKnown && dryRun) return ok('a dry run needs no Lease, and nothing leads');
    if (lease.is === 'hidden') return unknown(lease.right);
    const record = valueOf(lease);
    const isHeld = record !== undefined && record.holder !== '';
    if (isHeld && isRenewed(facts, record)) return await holderOf(facts, record);
    const reconciler = valueOf(await facts.part('reconciler'));
    if (reconciler?.replicas === 0) {
      return warning(
        `nobody leads, and nothing restarts: Deployment ${reconciler.name} has 0 replicas, which somebody meant`,
        `kubectl -n ${rerollNamespace} scale deployment/${reconciler.name} --replicas=1`,
      );
    }
    const object = `Lease ${rerollNamespace}/${leaseName}`;
    const logs = `see the log of the reconcilers: kubectl -n ${rerollNamespace} logs -l app.kubernetes.io/component=reconciler --tail=-1`;
    if (!record) {
      return failed(`there is no ${object}`, 'name the install with --reroll-namespace and --lease-name, or ' + logs);
    }
    if (!isHeld) return failed(`nobody holds ${object}`, logs);
    const idle = idleMs(facts, record);
    // Somebody wrote it by hand, or without that field.
    const renewed = Number.isNaN(idle) ? `has never renewed ${object}` : `renewed ${object} ${ago(idle)}`;
    return failed(`nobody leads: ${record.holder} ${renewed}`, logs);
  },
};

/** NaN if nobody has renewed it. */
function idleMs(facts: Facts, { renewTime }: LeaseRecord): number {
  return facts.nowMs() - Date.parse(renewTime ?? '');
}

function isRenewed(facts: Facts, record: LeaseRecord): boolean {
  return idleMs(facts, record) <= record.durationMs;
}

async function holderOf(facts: Facts, record: LeaseRecord): Promise<Finding> {
  const { holder } = record;
  const says = `${holder} leads, renewed ${ago(idleMs(facts, record))}`;
  const pods = await facts.pods();
  if (pods.is !== 'there')
    return ok(pods.is === 'hidden' ? `${says}; ${pods.right}, so its pod was not looked at` : says);
  const pod = pods.value.find(({ name }) => name === holder || name === holder.replace(randomSuffix, ''));
  const { rerollNamespace } = facts.options;
  if (!pod) {
    return warning(
      `${says}, and is no pod of namespace ${rerollNamespace}`,
      'find out where it runs: if two installs share one Lease, only the one that holds it restarts anything',
    );
  }
  if (pod.isReady) return ok(says);
  return warning(`${says}, but its pod is not ready`, `kubectl -n ${rerollNamespace} describe pod ${pod.name}`);
}
