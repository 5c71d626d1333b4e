import { type ApiEndpoint, apiRequest } from './api-request';

/** Names of the nodes of a control plane with `count` nodes. */
export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${index}`);
}

/** Creates Node objects for KWOK to keep alive, without the usual taint of KWOK, so that pods need no toleration. */
export async function createNodes(endpoint: ApiEndpoint, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const { status, body } = await apiRequest(endpoint, 'POST', '/api/v1/nodes', nodeObject(name));
      if (status !== 201) throw new Error(`cannot create node ${name}: ${status} ${body}`);
    }),
  );
}

/** Whether pods can be created and scheduled: nodes are ready and untainted, and the default account exists. */
export async function canRunPods(endpoint: ApiEndpoint, names: readonly string[]): Promise<boolean> {
  const account = await apiRequest(endpoint, 'GET', '/api/v1/namespaces/default/serviceaccounts/default');
  if (account.status !== 200) return false;
  const nodes = await Promise.all(
    names.map(async (name) => await apiRequest(endpoint, 'GET', `/api/v1/nodes/${name}`)),
  );
  return nodes.every(({ status, body }) => status === 200 && isSchedulable(JSON.parse(body) as NodeObject));
}

interface NodeObject {
  readonly spec?: { readonly taints?: readonly object[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isSchedulable({ spec, status }: NodeObject): boolean {
  const ready = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return ready === true && (spec?.taints ?? []).length === 0;
}

function nodeObject(name: string): object {
  const resources = { cpu: '256', memory: '1Ti', pods: '10000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    status: { allocatable: resources, capacity: resources },
  };
}
