import { expect } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { fromConfigMap } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, idle, settings } from './workloads';

const periodKey = 'deployment.reloader.stakater.com/pause-period';
const pausedAtKey = 'deployment.reloader.stakater.com/paused-at';
const web = 'Deployment/web';
const long = '30m';

function deployment(period: string, spec: JsonObject = {}) {
  const annotations = { ...auto, [periodKey]: period };
  return idle.Deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')], spec: { replicas: 0, ...spec } });
}

/** Whether the Deployment was paused, over time, without repetitions. */
function turns(place: Place): readonly boolean[] {
  return place.values(web, ['spec', 'paused']).map((paused) => paused === true);
}

function isPaused(place: Place): boolean {
  return fieldAt(place.last(web), ['spec', 'paused']) === true;
}

function revision(place: Place): unknown {
  return place.annotation(web, 'deployment.kubernetes.io/revision');
}

const edit = async (place: Place): Promise<void> => await place.edit('ConfigMap', 'app');

/** §8: an invalid or non-positive period does not delay the restart. */
const ineffective: readonly Spec[] = ['5 minutes', '5', '1d', 'soon', '0', '0s', '-5m'].map((period) => ({
  title: `§8 the period "${period}" has no effect, and the restart is not held back (Q45, Q46)`,
  objects: [settings(), deployment(period)],
  act: edit,
  restarts: { [web]: 1 },
  judge: (place) => {
    expect(turns(place)).toEqual([false]);
    expect(place.log('warn')).toContainEqual(expect.stringContaining(periodKey));
  },
}));

const windows: readonly Spec[] = [
  {
    title: '§8 a change pauses and is written at once, and the window stands on the object',
    objects: [settings(), deployment(long)],
    act: edit,
    restarts: { [web]: 1 },
    judge: (place) => {
      expect(turns(place)).toEqual([false, true]);
      expect(place.annotation(web, pausedAtKey)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      // Kubernetes does not roll out a paused Deployment.
      expect(revision(place)).toBe('1');
    },
  },
  {
    title: '§8 all changes of the window are one rollout, when it ends',
    objects: [settings(), deployment('4s')],
    act: async (place) => {
      for (const content of ['second', 'third']) {
        const before = place.restarts(web);
        await place.edit('ConfigMap', 'app', content);
        await place.restarted(web, before + 1);
      }
      await place.until('the end of the window', () => !isPaused(place));
      await place.until('the rollout', () => revision(place) === '2');
    },
    restarts: { [web]: 2 },
    judge: (place) => {
      expect(turns(place)).toEqual([false, true, false]);
      expect(place.annotation(web, pausedAtKey)).toBeUndefined();
      expect(revision(place)).toBe('2');
    },
  },
  {
    title: '§8 the next change after a window is the next window',
    objects: [settings(), deployment('1s')],
    act: async (place) => {
      for (const [content, times] of [
        ['second', 1],
        ['third', 2],
      ] as const) {
        await place.edit('ConfigMap', 'app', content);
        await place.restarted(web, times);
        await place.until('the end of the window', () => !isPaused(place));
      }
    },
    restarts: { [web]: 2 },
    judge: (place) => expect(turns(place)).toEqual([false, true, false, true, false]),
  },
];

const people: readonly Spec[] = [
  {
    title: '§8 a Deployment that somebody paused is changed and left paused',
    objects: [settings(), deployment('1s', { paused: true })],
    act: edit,
    restarts: { [web]: 1 },
    judge: (place) => {
      expect(turns(place)).toEqual([true]);
      expect(place.annotation(web, pausedAtKey)).toBeUndefined();
    },
  },
  {
    title: '§8 Q42 a resume by hand stands',
    objects: [settings(), deployment(long)],
    act: async (place) => {
      await edit(place);
      await place.until('the pause', () => isPaused(place));
      await place.patch('Deployment', 'web', { spec: { paused: false } });
    },
    restarts: { [web]: 1 },
    judge: (place) => {
      expect(turns(place)).toEqual([false, true, false]);
      expect(place.annotation(web, pausedAtKey)).toBeUndefined();
    },
  },
  {
    title: '§8 Q42 after a resume by hand the next window ends all the same',
    objects: [settings(), deployment('2s')],
    act: async (place) => {
      await edit(place);
      await place.until('the pause', () => isPaused(place));
      await place.patch('Deployment', 'web', { spec: { paused: false } });
      await place.until('its trace to go', () => place.annotation(web, pausedAtKey) === undefined);
      await place.edit('ConfigMap', 'app', 'third');
      await place.restarted(web, 2);
      await place.until('the end of the window', () => !isPaused(place));
    },
    restarts: { [web]: 2 },
    judge: (place) => expect(turns(place)).toEqual([false, true, false, true, false]),
  },
  {
    title: '§8 what Reloader has left paused is resumed (Q43)',
    objects: [
      settings(),
      idle.Deployment({
        ...{ name: 'web', envFrom: [fromConfigMap('app')], spec: { replicas: 0, paused: true } },
        annotations: { ...auto, [periodKey]: '1m', [pausedAtKey]: '2026-01-01T00:00:00Z' },
      }),
    ],
    act: async (place) => await place.until('the end of the window', () => !isPaused(place)),
    restarts: { [web]: 0 },
    judge: (place) => expect(turns(place)).toEqual([true, false]),
  },
  {
    title: '§8 a change that does not concern it pauses nothing',
    objects: [settings(), settings('other'), deployment(long)],
    act: async (place) => await place.edit('ConfigMap', 'other'),
    restarts: { [web]: 0 },
    judge: (place) => expect(turns(place)).toEqual([false]),
  },
  {
    title: '§8 Q47 a period on the pod template has no effect',
    objects: [
      settings(),
      idle.Deployment({
        ...{ name: 'web', annotations: auto, podAnnotations: { [periodKey]: long } },
        envFrom: [fromConfigMap('app')],
      }),
    ],
    act: edit,
    restarts: { [web]: 1 },
    judge: (place) => expect(turns(place)).toEqual([false]),
  },
];

const otherKinds: readonly Spec[] = (['StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout'] as const).map(
  (kind) => ({
    title: `§8 on a ${kind} the period is warned about, and the restart goes on`,
    objects: [
      settings(),
      idle[kind]({ name: 'web', annotations: { ...auto, [periodKey]: long }, envFrom: [fromConfigMap('app')] }),
    ],
    act: edit,
    restarts: { [`${kind}/web`]: 1 },
    judge: (place) => expect(place.log('warn')).toContainEqual(expect.stringContaining(periodKey)),
  }),
);

const killed: readonly Spec[] = [
  {
    title: '§8 Q43 a process that comes back resumes what its predecessor paused, without another change',
    objects: [settings(), deployment('3s')],
    act: async (place) => {
      await edit(place);
      await place.until('the pause', () => isPaused(place));
    },
    restarts: { [web]: 1 },
    judge: async (place) => {
      await place.until('the end of the window', () => !isPaused(place));
      expect(turns(place)).toEqual([false, true, false]);
      expect(place.restarts(web)).toBe(1);
    },
  },
  {
    title: '§8 a resume by hand while it is down is respected',
    objects: [settings(), deployment(long)],
    act: async (place) => {
      await edit(place);
      await place.until('the pause', () => isPaused(place));
    },
    whileDown: async (place) => await place.patch('Deployment', 'web', { spec: { paused: false } }),
    restarts: { [web]: 1 },
    judge: (place) => expect(turns(place)).toEqual([false, true, false]),
  },
];

/** §8: the pause period of Deployments. */
export const pause: readonly Group[] = [
  { name: 'pause', flags: [], specs: [...ineffective, ...windows, ...people, ...otherKinds] },
  { name: 'pause-killed', flags: [], isKilled: true, specs: killed },
];
