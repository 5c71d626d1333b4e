import { expect } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { rollout, rolloutOf } from '../apiserver/add-ons';
import { deployment, fromConfigMap, type WorkloadOptions } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { ObjectInput } from '../apiserver/objects';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, settings } from './workloads';

const web = 'Rollout/web';
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
/** Complete as Argo stores it: Argo would fill in omitted fields of a container by a write of its own. */
const app = { name: 'app', image: 'registry.example/app:1', envFrom: [fromConfigMap('app')], resources: {} };
const uses: WorkloadOptions = { name: 'web', annotations: auto, containers: [app], replicas: 1 };

function status(place: Place, field: string): unknown {
  return fieldAt(place.last(web), ['status', field]);
}

/** Resolves once Argo has rolled out the current spec. Argo writes `observedGeneration` as text. */
async function healthy(place: Place): Promise<void> {
  await place.until('the Rollout to be healthy', () => {
    const generation = String(fieldAt(place.last(web), ['metadata', 'generation']));
    return status(place, 'phase') === 'Healthy' && status(place, 'observedGeneration') === generation;
  });
}

function withSteps(steps: readonly JsonObject[]): ObjectInput {
  return rollout({ ...uses, spec: { strategy: { canary: { steps } } } });
}

async function changed(place: Place): Promise<unknown> {
  await healthy(place);
  const before = status(place, 'currentPodHash');
  await place.edit('ConfigMap', 'app');
  return before;
}

const specs: readonly Spec[] = [
  {
    title: '§6.3 Argo rolls the Rollout to a new revision',
    objects: [settings(), withSteps([])],
    act: async (place) => {
      const before = await changed(place);
      await place.until('another revision', () => status(place, 'currentPodHash') !== before);
      await healthy(place);
    },
    restarts: { [web]: 1 },
    judge: (place) => expect(status(place, 'stableRS')).toBe(status(place, 'currentPodHash')),
  },
  {
    title: '§6.3 Argo takes it through its steps, and pauses where they say so',
    objects: [settings(), withSteps([{ setWeight: 20 }, { pause: {} }])],
    act: async (place) => {
      await changed(place);
      await place.until('the pause of its steps', () => status(place, 'phase') === 'Paused');
    },
    restarts: { [web]: 1 },
    judge: (place) => expect(status(place, 'stableRS')).not.toBe(status(place, 'currentPodHash')),
  },
  {
    title: '§6.3 rollout-strategy restart: Argo replaces the pods of the same revision',
    objects: [settings(), rollout({ ...uses, annotations: inPlace, spec: { strategy: { canary: {} } } })],
    act: async (place) => {
      const before = await changed(place);
      await place.until('Argo to have restarted it', () => status(place, 'restartedAt') !== undefined);
      expect(status(place, 'currentPodHash')).toBe(before);
    },
    restarts: { [web]: 1 },
    judge: (place) => expect(status(place, 'restartedAt')).toBe(fieldAt(place.last(web), ['spec', 'restartAt'])),
  },
  {
    title: '§6.3 Q14 workloadRef: Argo rolls what the Deployment that is changed says',
    objects: [settings(), deployment({ ...uses, annotations: {}, replicas: 0 }), rolloutOf('web', auto)],
    act: async (place) => {
      const before = await changed(place);
      await place.until('another revision', () => status(place, 'currentPodHash') !== before);
    },
    restarts: { [web]: 0, 'Deployment/web': 1 },
    unrecorded: true,
  },
];

/** §6.3 with the real controller of Argo Rollouts, which decides what a change of a Rollout leads to. */
export const argo: readonly Group[] = [{ name: 'argo', flags: ['--is-Argo-Rollouts=true'], runsRollouts: true, specs }];
