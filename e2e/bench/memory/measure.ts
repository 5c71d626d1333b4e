import type { Setting } from '../benches';
import { bigCluster, bigClusterConditions, fillBigCluster } from '../big-cluster';
import { makeCertificates } from '../certificates';
import { settleSeconds } from '../cold-start';
import { createConfigMaps, createDeployments } from '../population';
import type { Figure, Measured } from '../result';
import { shippedSecrets } from '../../shipped-secrets';
import { created, createNamespace, type Stage } from '../stage';
import { described, rerollWebhook } from '../subject';
import { burst, churn, measureChurn, prepareBurst } from './churn';
import { Starter } from './starter';

const mib = 1024 * 1024;

const starts = { small: 5, big: 3 };
const few = { namespace: 'shop', count: 500 };

/** The bench `memory`: what it keeps, and what it needs at most, from an empty cluster to a large one. */
export async function measureMemory(setting: Setting): Promise<Measured> {
  const small = [...(await empty(setting)), ...(await withSome(setting))];
  const { conditions, figures } = await big(setting);
  return {
    conditions: {
      ...conditions,
      'some objects': `${few.count} ConfigMaps, 2 to 64 KiB, and as many opted-in Deployments that use them`,
      ...bigClusterConditions,
      starts: `from cold: ${starts.small}, and ${starts.big} of the large cluster, after a first one that records baselines`,
      settled: `${settleSeconds} s after it is ready, with an empty queue`,
      churn: churn.description,
      burst: burst.description,
    },
    figures: [...small, ...figures],
  };
}

async function empty({ openStage, subject, tell }: Setting): Promise<readonly Figure[]> {
  const stage = await openStage();
  try {
    const starter = await Starter.on(stage, subject, starts.small, tell);
    return [...(await starter.figures('empty cluster', 70)), ...(await webhook(stage, starter, 'empty cluster', 70))];
  } finally {
    await stage.stop();
  }
}

async function withSome({ openStage, subject, tell }: Setting): Promise<readonly Figure[]> {
  const stage = await openStage();
  try {
    await createNamespace(stage.api, few.namespace);
    await createConfigMaps(stage, few.namespace, few.count);
    await createDeployments(stage, few.namespace, few.count);
    const starter = await Starter.on(stage, subject, starts.small, tell);
    await starter.first(few.count);
    return [...(await starter.figures('500 + 500', 75)), ...(await webhook(stage, starter, '500 + 500', 75))];
  } finally {
    await stage.stop();
  }
}

async function big({ openStage, subject, tell }: Setting): Promise<Measured> {
  const stage = await openStage();
  try {
    await fillBigCluster(stage, tell);
    await prepareBurst(stage);
    const starter = await Starter.on(stage, subject, starts.big, tell);
    const first = await starter.first(bigCluster.workloads);
    const figures = await starter.figures('large cluster', 100, 120);
    return {
      conditions: { subject: described(subject, starter.access), stage: stage.description },
      figures: [
        { name: 'large cluster, first start ever: peak RSS', value: first.peakResidentBytes / mib, unit: 'MiB' },
        ...figures,
        ...(await measureChurn(stage, starter, tell)),
      ],
    };
  } finally {
    await stage.stop();
  }
}

/** Reroll's alone: others have none, or keep it in the same process. */
async function webhook(stage: Stage, starter: Starter, where: string, bar: number): Promise<readonly Figure[]> {
  if (!starter.subject.isReroll) return [];
  for (const secret of shippedSecrets()) await created(stage.api, '/api/v1/namespaces/reroll/secrets', secret);
  await makeCertificates([`--kubeconfig=${starter.access.kubeconfig}`, '--own-namespace=reroll', '--log-format=json']);
  return await starter.of(rerollWebhook).figures(`webhook, ${where}`, bar);
}
