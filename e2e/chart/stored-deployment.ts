import type { ContractClient } from '../apiserver/contract/contract-client';

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
  };
}

interface StoredPodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [
    {
      readonly args: readonly string[];
      readonly env?: readonly EnvVar[];
      readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
    },
  ];
  readonly volumes?: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}

/** What a kubelet would start for a Deployment. */
export interface StoredProcess {
  readonly account: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The name of each mounted Secret, by mount path. */
  readonly mounts: ReadonlyMap<string, string>;
}

/** Reads from the API server what the pods of a Deployment run. */
export async function storedProcess(
  admin: ContractClient,
  namespace: string,
  { deployment, pod }: { readonly deployment: string; readonly pod: string },
): Promise<StoredProcess> {
  const { status, body } = await admin.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`);
  if (status !== 200) throw new Error(`Deployment ${namespace}/${deployment}: ${String(status)}`);
  const { template } = body['spec'] as unknown as { readonly template: { readonly spec: StoredPodSpec } };
  const { serviceAccountName: account, containers, volumes = [] } = template.spec;
  const [{ args, env = [], volumeMounts = [] }] = containers;
  const fields: Readonly<Record<string, string>> = { 'metadata.name': pod, 'metadata.namespace': namespace };
  const valueOf = async ({ name, value, valueFrom }: EnvVar): Promise<readonly [string, string]> => {
    const { fieldRef, secretKeyRef } = valueFrom ?? {};
    if (secretKeyRef) return [name, await secretValue(admin, namespace, secretKeyRef)];
    return [name, (fieldRef ? fields[fieldRef.fieldPath] : value) ?? ''];
  };
  const secretOf = (volume: string): string | undefined =>
    volumes.find(({ name }) => name === volume)?.secret?.secretName;
  return {
    ...{ account, args, env: withKnownNodeOptions(Object.fromEntries(await Promise.all(env.map(valueOf)))) },
    mounts: new Map(volumeMounts.map(({ name, mountPath }) => [mountPath, secretOf(name) ?? ''])),
  };
}

async function secretValue(
  admin: ContractClient,
  namespace: string,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<string> {
  const { body } = await admin.get(`/api/v1/namespaces/${namespace}/secrets/${name}`);
  const data = body['data'] as Readonly<Record<string, string>> | undefined;
  return Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');
}

/** Drops unknown options: Node refuses to start with them, and the image's Node may be newer than that of the tests. */
function withKnownNodeOptions(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { NODE_OPTIONS: options, ...others } = env;
  if (options === undefined) return others;
  const known = options.split(' ').filter((each) => process.allowedNodeEnvironmentFlags.has(each.split('=')[0] ?? ''));
  return { ...others, NODE_OPTIONS: known.join(' ') };
}
