import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { csiVolume, secretProviderClass, secretProviderClassPodStatus as podStatus } from '../apiserver/add-ons';
import { fromConfigMap } from '../apiserver/cluster';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, idle, markedBy, settings } from './workloads';

const web = 'Deployment/web';
const typed = 'secretproviderclass.reloader.stakater.com';

function user(annotations: Readonly<Record<string, string>> = auto) {
  return idle.Deployment({ name: 'web', annotations, ...csiVolume('vault') });
}

/** Two pods that have mounted version 1. */
const mounted = [podStatus('a', 'vault', { pw: '1' }), podStatus('b', 'vault', { pw: '1' })];

interface Story {
  readonly what: string;
  readonly act: (place: Place) => Promise<void>;
  readonly times: number;
  readonly unrecorded?: true;
}

const stories: readonly Story[] = [
  { what: 'one pod tells of a rotation', act: async (place) => await place.rotate('a', 'vault'), times: 1 },
  {
    what: 'all pods tell of one rotation: one restart',
    act: async (place) => {
      await place.rotate('a', 'vault');
      await place.restarted(web, 1);
      await place.rotate('b', 'vault');
    },
    times: 1,
  },
  {
    what: 'two rotations',
    act: async (place) => {
      await place.rotate('a', 'vault');
      await place.restarted(web, 1);
      await place.rotate('a', 'vault', '3');
    },
    times: 2,
  },
  {
    what: 'a new pod mounts what there is',
    act: async (place) => await place.create(podStatus('c', 'vault', { pw: '1' })),
    times: 0,
  },
  {
    what: 'a pod goes',
    act: async (place) => await place.delete('SecretProviderClassPodStatus', 'a-default-vault'),
    times: 0,
  },
  {
    what: 'a label on a status is no rotation',
    act: async (place) =>
      await place.patch('SecretProviderClassPodStatus', 'a-default-vault', { metadata: { labels: { a: 'b' } } }),
    times: 0,
  },
  {
    what: 'the same versions again',
    act: async (place) => await place.rotate('a', 'vault', '1'),
    times: 0,
  },
  {
    what: 'an edit of the class is no rotation',
    act: async (place) =>
      await place.patch('SecretProviderClass', 'vault', { spec: { parameters: { roleName: 'other' } } }),
    times: 0,
  },
];

const ofStories: readonly Spec[] = stories.map(({ what, act, times }) => ({
  title: `§9 ${what}: ${String(times)}`,
  objects: [secretProviderClass('vault'), ...mounted, user()],
  act,
  restarts: { [web]: times },
}));

const others: readonly Spec[] = [
  {
    title: '§9 Q50 the first population of a status is no change, where Reloader restarts',
    objects: [secretProviderClass('vault'), podStatus('a', 'vault', null), user()],
    act: async (place) => await place.rotate('a', 'vault', '1'),
    restarts: { [web]: 0 },
  },
  {
    title: '§9 another class of the namespace does not concern it',
    objects: [
      secretProviderClass('vault'),
      secretProviderClass('other'),
      ...mounted,
      podStatus('a', 'other', { pw: '1' }),
      user(),
    ],
    act: async (place) => await place.rotate('a', 'other'),
    restarts: { [web]: 0 },
  },
  {
    title: '§9 who opted in for ConfigMaps alone is left alone',
    objects: [secretProviderClass('vault'), ...mounted, user({ 'configmap.reloader.stakater.com/auto': 'true' })],
    act: async (place) => await place.rotate('a', 'vault'),
    restarts: { [web]: 0 },
  },
  {
    title: '§9 a pattern names the class',
    objects: [secretProviderClass('vault'), ...mounted, user({ [`${typed}/reload`]: 'va.*' })],
    act: async (place) => await place.rotate('a', 'vault'),
    restarts: { [web]: 1 },
    judge: (place) => expect(markedBy(place, web)).toEqual(['app STAKATER_VAULT_SECRETPROVIDERCLASS']),
  },
  {
    title: '§9 a class that matches restarts who searches',
    objects: [
      secretProviderClass('vault', { 'reloader.stakater.com/match': 'true' }),
      ...[...mounted, user({ 'reloader.stakater.com/search': 'true' })],
    ],
    act: async (place) => await place.rotate('a', 'vault'),
    restarts: { [web]: 1 },
    // A class that was never rotated is a source that does not exist, so nothing matches yet.
    unrecorded: true,
  },
  {
    title: '§9 a class without match does not',
    objects: [secretProviderClass('vault'), ...mounted, user({ 'reloader.stakater.com/search': 'true' })],
    act: async (place) => await place.rotate('a', 'vault'),
    restarts: { [web]: 0 },
  },
  {
    title: '§4 no version of what was rotated stands in log, Event or workload',
    objects: [secretProviderClass('vault'), ...mounted, user()],
    act: async (place) => await place.rotate('a', 'vault', 'version-of-a-secret'),
    restarts: { [web]: 1 },
    judge: (place) => {
      const told = JSON.stringify([place.log(), place.last(web), place.all('Event')]);
      expect(told).not.toContain('version-of-a-secret');
    },
  },
];

const underAnnotations: readonly Spec[] = [
  {
    title: '§9 Q26 annotations: another restart between two pods that tell of one rotation makes no third',
    objects: [
      ...[settings(), secretProviderClass('vault'), ...mounted],
      idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')], ...csiVolume('vault') }),
    ],
    act: async (place) => {
      await place.rotate('a', 'vault');
      await place.restarted(web, 1);
      await place.edit('ConfigMap', 'app');
      await place.restarted(web, 2);
      await place.rotate('b', 'vault');
    },
    restarts: { [web]: 2 },
  },
];

const rotation = (title: string, times: number, isRotatedWhileDown = false): Spec => {
  const rotate = async (place: Place): Promise<void> => await place.rotate('a', 'vault');
  return {
    title,
    objects: [secretProviderClass('vault'), ...mounted, user()],
    act: isRotatedWhileDown ? async (place) => await place.recorded(web) : rotate,
    ...(isRotatedWhileDown && {
      whileDown: async (place: Place) => {
        // An earlier write would count as completing the status; the driver looks for new versions every two minutes.
        await delay(6_000);
        await rotate(place);
      },
    }),
    restarts: { [web]: times },
  };
};

/** §9: SecretProviderClassPodStatus, with the driver's CustomResourceDefinitions. */
export const csi: readonly Group[] = [
  { name: 'csi', flags: ['--enable-csi-integration'], specs: [...ofStories, ...others] },
  {
    name: 'csi-annotations',
    flags: ['--enable-csi-integration=true', '--reload-strategy=annotations'],
    specs: underAnnotations,
  },
  { name: 'csi-off', flags: [], specs: [rotation('§9 without the flag a rotation restarts nothing', 0)] },
  {
    name: 'csi-labels',
    flags: ['--enable-csi-integration', '--resource-label-selector=reload=yes'],
    sourceLabels: { reload: 'yes' },
    specs: [rotation('§9 Q48 --resource-label-selector does not stop rotations, whose labels are the driver’s', 1)],
  },
  {
    name: 'csi-killed',
    flags: ['--enable-csi-integration'],
    isKilled: true,
    specs: [
      rotation('§9 a rotation while it is down is found, once', 1, true),
      {
        ...rotation('§9 a restart of ours restarts nothing that was not rotated', 0),
        act: async () => await Promise.resolve(),
      },
    ],
  },
];
