import { enumerated } from '../output/phrases';
import { componentLabel, type Part } from '../parts/part';
import { failed, ok, together, unknown, warning, type Check, type Finding } from './finding';

/** The Deployments have the pods that they should have. */
export const replicasCheck: Check = {
  name: 'replicas',
  look: async (facts) => {
    const { rerollNamespace: namespace } = facts.options;
    const parts = await facts.parts();
    if (parts.is === 'hidden') return unknown(parts.right);
    if (parts.is === 'absent' || parts.value.length === 0) {
      return unknown(
        `no Deployment in namespace ${namespace} has the label ${componentLabel}=reconciler, webhook or certs`,
        'name the namespace of the install with --reroll-namespace',
      );
    }
    const counts = parts.value.map(({ name, available, replicas }) => `${name} ${available} of ${replicas}`);
    return together(ok(`available: ${enumerated(counts)}`), ...parts.value.map((part) => findingOf(part, namespace)));
  },
};

function findingOf({ name, component, replicas, available }: Part, namespace: string): Finding {
  if (replicas === 0 && component === 'reconciler') {
    return warning(
      `Deployment ${name} has 0 replicas: it was stopped, and nothing restarts`,
      `kubectl -n ${namespace} scale deployment/${name} --replicas=1`,
    );
  }
  if (available >= replicas) return ok('');
  const says = `${available} of ${replicas} pods of Deployment ${name} are available`;
  const fix = `kubectl -n ${namespace} describe pods -l ${componentLabel}=${component}`;
  return available === 0 ? failed(says, fix) : warning(says, fix);
}
