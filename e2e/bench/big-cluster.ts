import { createConfigMaps, createDeployments, createSecrets, contentSize } from './population';
import { createNamespace, type Stage } from './stage';

/** The size of clusters whose users complain about their reloader. */
const namespaces = Array.from({ length: 10 }, (_, index) => `team-${index}`);
const inEach = { secrets: 2_000, configMaps: 1_500, workloads: 50 };

export const bigCluster = {
  namespaces,
  inEach,
  secrets: inEach.secrets * namespaces.length,
  configMaps: inEach.configMaps * namespaces.length,
  workloads: inEach.workloads * namespaces.length,
  contentBytes: (contentSize(inEach.secrets) + contentSize(inEach.configMaps)) * namespaces.length,
};

/** The conditions that a bench on this cluster reports. */
export const bigClusterConditions = {
  objects: `${bigCluster.secrets} Secrets, ${bigCluster.configMaps} ConfigMaps in ${namespaces.length} namespaces`,
  content: `${Math.round(bigCluster.contentBytes / 1e6)} MB that does not compress, 2 to 64 KiB an object`,
  workloads: `${bigCluster.workloads} opted-in Deployments, each with a ConfigMap and a Secret of its own`,
};

/** Fills an empty stage: each namespace `team-N` gets `secret-N`, `config-N` and `app-N`, which uses those two. */
export async function fillBigCluster(stage: Stage, tell: (what: string) => void): Promise<void> {
  tell(`writing ${bigCluster.secrets} Secrets and ${bigCluster.configMaps} ConfigMaps …`);
  for (const namespace of namespaces) {
    await createNamespace(stage.api, namespace);
    await createSecrets(stage, namespace, inEach.secrets);
    await createConfigMaps(stage, namespace, inEach.configMaps);
    await createDeployments(stage, namespace, inEach.workloads, { withSecrets: true });
  }
}
