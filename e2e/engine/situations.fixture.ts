import { expect } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { configMap, cronJob, deployment, envFromKey, fromConfigMap, job, namespace } from '../apiserver/cluster';
import type { ApiServerOptions } from '../apiserver/api-server';
import { Controllers } from '../apiserver/controllers/controllers';
import type { FaultTarget } from '../apiserver/faults';
import type { ObjectInput } from '../apiserver/objects';
import { engineUser, Harness, type Engine } from './harness';
import { rule } from './rights.fixture';

/** Situations in which somebody asks about a workload, and what the leader then answers. */

export const auto = { 'reloader.stakater.com/auto': 'true' };
export const app = configMap({ name: 'app', data: { color: 'red', size: 'small' } });
export const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
export const web = deployment({ name: 'web', ...uses });
export const annotated = (annotations: Record<string, string>) =>
  deployment({ name: 'web', ...uses, annotations: { ...auto, ...annotations } });
export const settled = 60_000;
export const readAll = rule('*', '*', 'get list watch');
export const ownRights = rule('*', 'leases secrets events', '*', ['reroll']);

export interface Situation {
  readonly objects: readonly ObjectInput[];
  readonly settings?: Partial<EngineSettings>;
  /** Those of add-ons. */
  readonly customKinds?: ApiServerOptions['customKinds'];
  /** Between the start and the question. */
  readonly then?: (harness: Harness) => Promise<void>;
  /** Before the engine starts. */
  readonly first?: (harness: Harness) => void;
  readonly path?: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

export const changeColor = async (harness: Harness, afterMs = settled): Promise<void> => {
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(afterMs);
};
const only = (source: object) => ({ sources: [expect.objectContaining(source)] });

export const situations: Readonly<Record<string, Situation>> = {
  'nothing has happened': {
    objects: [app, web],
    answer: {
      ...{ tracked: true, state: 'in-step', restart: 'not-owed', dryRun: false, problems: [] },
      ...only({ kind: 'ConfigMap', name: 'app', container: 'app', exists: true, decision: 'auto', keys: 'all' }),
    },
  },
  'another key has changed': {
    objects: [app, deployment({ name: 'web', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] })],
    then: async (harness) => {
      await harness.edit('ConfigMap', 'app', { size: 'large' });
      await harness.clock.advance(settled);
    },
    answer: {
      ...{ state: 'in-step', restart: 'not-owed' },
      ...only({ keys: ['color'], standing: 'unchanged', why: 'the content it uses has not changed', restarts: false }),
    },
  },
  'the source is excluded': {
    objects: [app, annotated({ 'configmaps.exclude.reloader.stakater.com/reload': 'app' })],
    then: changeColor,
    answer: {
      ...{ state: 'in-step', restart: 'not-owed' },
      ...only({
        decision: 'excluded',
        rule: 'configmaps.exclude.reloader.stakater.com/reload',
        why: "the workload's exclude list names the source",
        standing: 'not-compared',
      }),
    },
  },
  'its template alone is annotated': {
    objects: [
      app,
      deployment({ ...uses, name: 'web', annotations: {}, podAnnotations: { ...auto, 'reroll.dev/settle': '5m' } }),
    ],
    answer: {
      ...{ tracked: true, state: 'in-step' },
      ...only({ decision: 'auto', rule: 'reloader.stakater.com/auto' }),
      problems: [expect.stringContaining('annotation reroll.dev/settle')],
    },
  },
  'its namespace is not selected': {
    objects: [app, web],
    settings: { namespaceSelector: parseSelector('env=prod') },
    answer: { tracked: false, because: 'namespace-not-selected', why: expect.stringContaining('--namespace-selector') },
  },
  'its namespace is not watched': {
    objects: [app, web],
    settings: { namespacesToIgnore: ['default'] },
    answer: {
      tracked: false,
      because: 'namespace-not-watched',
      why: expect.stringContaining('--namespaces-to-ignore'),
    },
  },
  'the source is annotated to be ignored': {
    objects: [configMap({ name: 'app', annotations: { 'reloader.stakater.com/ignore': 'true' } }), web],
    answer: only({ decision: 'source-ignored', rule: 'reloader.stakater.com/ignore', standing: 'not-compared' }),
  },
  'the source is in another namespace': {
    objects: [namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }), web],
    then: async (harness) => {
      await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
      await harness.clock.advance(settled);
    },
    answer: { restart: 'not-owed', ...only({ exists: false, standing: 'absent', restarts: false }) },
  },
  'Reroll holds it paused': {
    objects: [app, annotated({ 'deployment.reloader.stakater.com/pause-period': '5m' })],
    then: changeColor,
    answer: { state: 'waiting', waitsFor: 'pause', until: expect.any(String), restart: 'not-owed' },
  },
  'its settle window is open': {
    objects: [app, annotated({ 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' })],
    then: async (harness) => await changeColor(harness, 10_000),
    answer: {
      ...{ state: 'pending', waitsFor: 'settle-window', since: expect.any(String), until: expect.any(String) },
      restart: 'owed',
      ...only({ standing: 'changed', changedKeys: ['color'], why: 'content changed', restarts: true }),
    },
  },
  'it was restarted': {
    objects: [app, web],
    then: changeColor,
    answer: {
      ...{ state: 'in-step', restart: 'not-owed', ...only({ standing: 'unchanged' }) },
      lastRestart: { at: expect.any(String), id: expect.stringMatching(/^[0-9a-f]{8}$/) },
    },
  },
  'its restart is refused by RBAC': {
    objects: [app, web],
    then: async (harness) => {
      harness.server.rbac.restrict(engineUser, [readAll, ownRights]);
      await changeColor(harness);
    },
    answer: {
      ...{ state: 'blocked', waitsFor: 'permission', errorCode: 'KUBE_FORBIDDEN', restart: 'owed' },
      ...{ since: expect.any(String), until: expect.any(String) },
    },
  },
  'its restart fails': {
    objects: [app, web],
    then: async (harness) => {
      const match = ({ method }: { readonly method: string }) => method === 'PATCH';
      harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
      await changeColor(harness);
    },
    answer: { state: 'waiting', waitsFor: 'retry', errorCode: expect.stringMatching(/^KUBE_/), restart: 'owed' },
  },
  'its baseline may not be written': {
    objects: [app, web],
    first: (harness) => harness.server.rbac.restrict(engineUser, [readAll, ownRights]),
    answer: { state: 'blocked', waitsFor: 'baseline-write', restart: 'not-owed', ...only({ standing: 'unchanged' }) },
  },
  'in a dry run, a restart would be due': {
    objects: [app, annotated({ 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' })],
    settings: { dryRun: true },
    then: async (harness) => await changeColor(harness, 10_000),
    answer: { dryRun: true, state: 'pending', restart: 'owed' },
  },
  'in a dry run, a restart was withheld': {
    objects: [app, web],
    settings: { dryRun: true },
    then: changeColor,
    answer: { dryRun: true, state: 'in-step', restart: 'not-owed' },
  },
  'its source is created, and creations do not count': {
    objects: [annotated({ 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' })],
    then: async (harness) => {
      harness.seed(app);
      await harness.clock.advance(10_000);
    },
    answer: {
      restart: 'not-owed',
      ...only({ standing: 'changed', why: 'it was created, and --reload-on-create is off', restarts: false }),
    },
  },
  'its source is deleted, and deletions do not count': {
    objects: [app, web],
    then: async (harness) => {
      await harness.delete('ConfigMap', 'app');
      await harness.clock.advance(settled);
    },
    answer: {
      ...{ state: 'in-step', restart: 'not-owed' },
      ...only({ exists: false, standing: 'absent', why: 'it was deleted, and --reload-on-delete is off' }),
    },
  },
  "somebody else's rollout may answer the change": {
    objects: [app, web],
    first: (harness) => new Controllers(harness.server).start(),
    then: async (harness) => {
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(300);
      const containers = [{ name: 'app', image: 'app:2' }];
      await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
      await harness.clock.advance(1_200);
    },
    answer: { state: 'waiting', waitsFor: 'rollout', restart: 'owed' },
  },
  'a CronJob controls it': {
    objects: [
      app,
      {
        ...job({ name: 'web', ...uses }),
        metadata: {
          ...{ name: 'web', namespace: 'default', annotations: auto },
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'u', controller: true }],
        },
      },
    ],
    path: 'job/default/web',
    answer: { tracked: false, because: 'job-of-a-cronjob' },
  },
  'its policy is never': {
    objects: [app, cronJob({ name: 'web', ...uses, annotations: { ...auto, 'reroll.dev/cronjob-policy': 'never' } })],
    path: 'CronJob/default/web',
    answer: { tracked: false, because: 'policy-never' },
  },
  'its kind is ignored': {
    objects: [app, job({ name: 'web', ...uses })],
    settings: { policy: { autoReloadAll: false, ignoredWorkloadKinds: ['Job'] } },
    path: 'Job/default/web',
    answer: { tracked: false, because: 'kind-ignored' },
  },
  'it asks for nothing': {
    objects: [app, deployment({ name: 'web', envFrom: [fromConfigMap('app')] })],
    answer: { tracked: false, because: 'not-opted-in' },
  },
  'it has switched restarts off': {
    objects: [app, annotated({ 'reloader.stakater.com/auto': 'false' })],
    settings: { policy: { autoReloadAll: true, ignoredWorkloadKinds: [] } },
    answer: { tracked: false, because: 'not-opted-in' },
  },
  'it does not exist': { objects: [app], answer: { tracked: false, because: 'not-found' } },
  'its kind is not served': {
    objects: [app],
    path: 'Rollout/default/web',
    answer: { tracked: false, because: 'not-listed' },
  },
  'its sources may not be listed': {
    objects: [app, web],
    first: (harness) =>
      harness.server.rbac.restrict(engineUser, [rule('*', 'deployments secrets leases', '*'), ownRights]),
    answer: { state: 'unknown', waitsFor: 'sources', ...only({ decision: 'not-watched', standing: 'not-compared' }) },
  },
  'its Job is being recreated': {
    objects: [app, job({ name: 'web', ...uses })],
    then: async (harness) => {
      const match = ({ method, pathname }: { readonly method: string; readonly pathname: string }) =>
        method === 'DELETE' && pathname.includes('/jobs/');
      harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
      await changeColor(harness, 5_000);
      // The next look finds the recreation under way.
      await harness.edit('ConfigMap', 'app', { color: 'green' });
      await harness.clock.advance(5_000);
    },
    path: 'Job/default/web',
    answer: { state: 'waiting', waitsFor: 'job', restart: 'owed' },
  },
  'an earlier Job of its name may be open': {
    objects: [app, job({ name: 'web', ...uses })],
    first: (harness) => {
      const match = ({ method, pathname, query }: FaultTarget) =>
        method === 'GET' && pathname.endsWith('/namespaces/reroll/secrets') && query.has('labelSelector');
      harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
    },
    path: 'Job/default/web',
    answer: { state: 'waiting', waitsFor: 'earlier-job' },
  },
  'its Job is deleted, and cannot be created again yet': {
    objects: [app, job({ name: 'web', ...uses })],
    then: async (harness) => {
      const match = ({ method, pathname, query }: FaultTarget) =>
        method === 'POST' && pathname.endsWith('/jobs') && !query.has('dryRun');
      harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
      await changeColor(harness);
    },
    path: 'Job/default/web',
    answer: { tracked: false, because: 'being-recreated' },
  },
};

/** The cluster and the engine in a situation. */
export async function running({ objects, settings, customKinds, first, then }: Situation): Promise<[Harness, Engine]> {
  const harness = new Harness(customKinds && { customKinds });
  harness.seed(...objects);
  first?.(harness);
  await harness.clock.advance(settled);
  const engine = await harness.start(settings);
  await harness.clock.advance(settled);
  await then?.(harness);
  return [harness, engine];
}
