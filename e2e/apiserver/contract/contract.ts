import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { accessContract } from './access';
import { ContractClient, type ContractServer } from './contract-client';
import { listContract } from './lists';
import { managedFieldsContract } from './managed-fields';
import { objectContract } from './objects';
import { patchContract } from './patches';
import { protobufContract } from './protobuf';
import { statusContract } from './statuses';
import { watchContract } from './watches';

/** What each contract test works with. */
export interface ContractContext {
  readonly client: ContractClient;
  readonly server: ContractServer;
  /** The test's own namespace, so that the contract can run against a cluster in use. */
  readonly namespace: string;
  /** Path of a collection in that namespace, or of an object in it: `path('apps/v1', 'deployments', 'web')`. */
  path(apiVersion: string, plural: string, name?: string): string;
}

const groups = [
  objectContract,
  patchContract,
  listContract,
  watchContract,
  protobufContract,
  statusContract,
  managedFieldsContract,
  accessContract,
];

/**
 * What the product relies on in an API server, as one suite for the simulated and the real one. Every test passes on a
 * kube-apiserver with its controllers running. Where the two differ, the simulation is wrong.
 */
export function describeContract(name: string, connect: () => Promise<ContractServer>): void {
  describe(`API server contract: ${name}`, () => {
    let server: ContractServer;
    let client: ContractClient;
    let namespace = '';

    beforeAll(async () => {
      server = await connect();
      client = new ContractClient(server.transport);
    });
    afterAll(async () => await server.close());

    beforeEach(async () => {
      namespace = `contract-${randomBytes(4).toString('hex')}`;
      await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
    });
    afterEach(async () => {
      client.closeWatches();
      await client.delete(`/api/v1/namespaces/${namespace}`);
    });

    const context = (): ContractContext => ({
      client,
      server,
      namespace,
      path(apiVersion, plural, object) {
        const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
        return `${root}/namespaces/${namespace}/${plural}${object === undefined ? '' : `/${object}`}`;
      },
    });
    for (const group of groups) group(context);
  });
}
