import { describe, expect, it } from '@jest/globals';
import { createObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import { Harness } from './harness';

const web = deployment({
  name: 'web',
  annotations: { 'reloader.stakater.com/auto': 'true' },
  envFrom: [fromConfigMap('app')],
});
const app = configMap({ name: 'app', data: { color: 'red' } });

let harness: Harness;

const create = {
  Deployment: async () => await createObject(harness.admin, workloadKind('Deployment').resource, 'default', web),
  ConfigMap: async () => await createObject(harness.admin, configMaps, 'default', app),
};

function lag(resource: string): void {
  const match = ({ isWatch, pathname }: FaultTarget) => isWatch && pathname.endsWith(`/${resource}`);
  harness.faults.add({ match, fault: { kind: 'lag', lagMs: 300 } });
}

/** Refuses the lists with `limit=1`, by which Reroll finds out whether both resourceVersions come from one counter. */
function refuseToTell(): void {
  const match = ({ query }: FaultTarget) => query.get('limit') === '1';
  harness.faults.add({ match, fault: { kind: 'status', code: 403 } });
}

describe('a source and a workload created within one second, with --reload-on-create', () => {
  describe.each([
    ['are ordered by their resourceVersions if those are comparable', true],
    ['are ordered as the watches show them if resourceVersions are not comparable', false],
  ])('%s', (_which, isComparable) => {
    it.each([
      ['the source is created last', ['Deployment', 'ConfigMap'], undefined, 1],
      ['the source is created first', ['ConfigMap', 'Deployment'], undefined, 0],
      ['the source is created last and shown first', ['Deployment', 'ConfigMap'], 'deployments', isComparable ? 1 : 0],
      ['the source is created first and shown last', ['ConfigMap', 'Deployment'], 'configmaps', isComparable ? 0 : 1],
    ] as const)('%s', async (_order, kinds, lagging, restarts) => {
      harness = new Harness();
      if (lagging) lag(lagging);
      if (!isComparable) refuseToTell();
      await harness.start({ reloadOnCreate: true });
      for (const kind of kinds) {
        await create[kind]();
        await harness.clock.advance(100);
      }
      await harness.clock.advance(60_000);
      expect(harness.restarts('Deployment', 'web')).toBe(restarts);
    });
  });
});
