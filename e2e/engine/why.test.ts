import { describe, expect, it } from '@jest/globals';
import type { Answering } from './asking.fixture';
import { all, ask, firstLine, inSituation } from './why.fixture';

/** The objects alone tell the same. */
const same = Symbol('same');

/** The first line for a change that is owed, by the leader and by the objects, which do not show whether it is one. */
function deferred(until: string): readonly [leader: string, objects: string] {
  return [
    `is not restarted yet although key color of ConfigMap app changed: ${until}`,
    `does not restart for ConfigMap app yet: ${until} (last written 1 minute ago by kubectl)`,
  ];
}

/** The first line in each situation: as the leader answers, and from the objects alone. */
const headlines: Readonly<Record<string, readonly [leader: string, objects: string | typeof same]>> = {
  'nothing has happened': [
    'is in step: Reroll has not restarted it, and nothing that it uses differs from what its pods run with',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'another key has changed': [
    'does not restart for ConfigMap app: the workload uses key color, and the change of the ConfigMap was elsewhere (last written 1 minute ago by kubectl)',
    'counts key color of ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'the source is excluded': [
    'does not restart for ConfigMap app: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it',
    same,
  ],
  'its template alone is annotated': [
    'is in step: Reroll has not restarted it, and nothing that it uses differs from what its pods run with',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'its namespace is not selected': [
    'does not restart: the labels of namespace default do not match --namespace-selector=env=prod',
    same,
  ],
  'its namespace is not watched': [
    'does not restart: Reroll does not watch namespace default (--namespaces, --namespaces-to-ignore)',
    same,
  ],
  'the source is annotated to be ignored': [
    'does not restart for ConfigMap app: the ConfigMap is annotated reloader.stakater.com/ignore: "true"',
    same,
  ],
  'the source is in another namespace': [
    'does not restart for ConfigMap app: there is no ConfigMap app in namespace default, and sources of other namespaces do not count',
    same,
  ],
  'Reroll holds it paused': [
    'restarts in 4 minutes because key color of ConfigMap app changed: Reroll holds it paused until then (deployment.reloader.stakater.com/pause-period)',
    same,
  ],
  'its settle window is open': [
    'restarts in 50 seconds because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    'may restart in 50 seconds for ConfigMap app: Reroll waits until its sources are quiet (--settle) (last written 10 seconds ago by kubectl)',
  ],
  'it was restarted': ['restarted 59 seconds ago because key color of ConfigMap app changed', same],
  'its restart is refused by RBAC': [
    'cannot be restarted although key color of ConfigMap app changed: Reroll lacks a permission (KUBE_FORBIDDEN)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its restart fails': [
    'is not restarted yet although key color of ConfigMap app changed: the last attempt failed (KUBE_SERVER), and Reroll tries again in 44 seconds',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its baseline may not be written': [
    'is in step, but its newest baseline is not stored, so the next leader may restart it again, or miss a change made while Reroll is down: missing permission to patch deployments.apps: their baselines are kept in memory, so changes made while this process is down do not restart them',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'in a dry run, a restart would be due': [
    'does not restart although key color of ConfigMap app changed: Reroll runs with --dry-run, and writes nothing',
    'does not restart: Reroll runs with --dry-run, and writes nothing',
  ],
  'in a dry run, a restart was withheld': ['does not restart: Reroll runs with --dry-run, and writes nothing', same],
  'its source is created, and creations do not count': [
    'does not restart for ConfigMap app: it was created, and --reload-on-create is off',
    'does not restart for ConfigMap app: it was created 10 seconds ago, and --reload-on-create is off',
  ],
  'its source is deleted, and deletions do not count': [
    'does not restart for ConfigMap app: it was deleted, and --reload-on-delete is off',
    'does not restart for ConfigMap app: there is no ConfigMap app in namespace default, and sources of other namespaces do not count',
  ],
  "somebody else's rollout may answer the change": [
    "is not restarted yet although key color of ConfigMap app changed: somebody else's rollout is in progress and may bring the change; Reroll looks again at once",
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 second ago by kubectl)',
  ],
  'a CronJob controls it': ['does not restart: CronJob c controls this Job, so annotate the CronJob', same],
  'its policy is never': ['does not restart: its annotation reroll.dev/cronjob-policy is "never"', same],
  'its kind is ignored': ['does not restart: Reroll leaves every Job alone (--ignored-workload-types)', same],
  'it asks for nothing': [
    'does not restart: nothing on it asks for restarts; annotate it with reloader.stakater.com/auto: "true"',
    same,
  ],
  'it has switched restarts off': ['does not restart: reloader.stakater.com/auto: "false" switches restarts off', same],
  'it does not exist': ['Deployment web does not exist in namespace default', same],
  'it does not exist, and its namespace is not selected': ['Deployment web does not exist in namespace default', same],
  'it does not exist, and its namespace is not watched': ['Deployment web does not exist in namespace default', same],
  'its kind is not served': [
    'does not restart: Reroll does not see any Rollout: the API server does not serve them, or Reroll is not allowed to list them',
    'Rollout web does not exist in namespace default',
  ],
  'its sources may not be listed': [
    'may miss changes: Reroll is not allowed to list the sources that it uses, or has not listed them yet',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'an earlier Job of its name may be open': [
    'is not looked at yet: Reroll recreates an earlier Job of this name, or cannot read whether it does; it looks again in 1 second',
    'does not restart yet: Reroll has not recorded what its pods run with (reroll.dev/baseline)',
  ],
  'its Job is being recreated': [
    'is being restarted because key color of ConfigMap app changed: Reroll recreates the Job',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 5 seconds ago by kubectl)',
  ],
  'its Job is deleted, and cannot be created again yet': [
    'is being restarted: Reroll has deleted the Job and creates it again',
    'Job web does not exist in namespace default',
  ],
  'another key was changed by another program': [
    'does not restart for ConfigMap app: the workload uses key color, and the change was to key size (last written 1 minute ago by ci)',
    same,
  ],
  'another key was changed, and an annotation of it was written after that': [
    'does not restart for ConfigMap app: the workload uses key color, and the change was to key size (last written 2 minutes ago by ci)',
    same,
  ],
  'another key was changed, and somebody rolled it out after that': [
    'does not restart for ConfigMap app: the workload uses key color, and the change was to key size (last written 2 minutes ago by ci)',
    same,
  ],
  'a change was taken back, and an annotation of it was written after that': [
    'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 2 minutes ago by kubectl)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 2 minutes ago by kubectl)',
  ],
  'its source was created a minute ago, and creations do not count': [
    'does not restart for ConfigMap app: it was created 1 minute ago, and --reload-on-create is off',
    same,
  ],
  'its source was created again with the same content': [
    'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 1 minute ago by kubectl)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its source was created again with the same content, and creations count': [
    'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 1 minute ago by kubectl)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'its source was created again with another content, and it is held': deferred(
    'held by reroll.dev/hold on the workload',
  ),
  'it was restarted because its source was created': [
    'restarted 59 seconds ago because ConfigMap app was created',
    same,
  ],
  'it was restarted because its source was deleted': [
    'restarted 59 seconds ago because ConfigMap app was deleted',
    same,
  ],
  'it was restarted for one source, and is held for another': [
    'is not restarted yet although key password of Secret db changed: held by reroll.dev/hold on the workload',
    'does not restart for Secret db yet: held by reroll.dev/hold on the workload (last written 1 minute ago by kubectl)',
  ],
  'its class was never rotated': [
    'does not restart for SecretProviderClass vault: no rotation of its secrets has been seen',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'its class was edited, which rotates nothing': [
    'does not restart for SecretProviderClass vault: no rotation of its secrets has been seen',
    'was not restarted by Reroll, and nothing shows that what it uses was written since',
  ],
  'there is no such class': [
    'does not restart for SecretProviderClass vault: there is no SecretProviderClass vault in namespace default, and sources of other namespaces do not count',
    same,
  ],
  'alice caused the last restart': ['restarted 12 minutes ago because alice changed key color of ConfigMap app', same],
  'an excluded source was changed after a restart': [
    'does not restart for ConfigMap theme: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it',
    same,
  ],
  'its switch is misspelt': [
    'does not restart: annotation reloader.stakater.com/atuo is not known and has no effect; did you mean reloader.stakater.com/auto?',
    same,
  ],
  'its switch is no boolean': [
    'does not restart: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
    same,
  ],
  'it has switched restarts off, and its settle window is no time': [
    'does not restart: reloader.stakater.com/auto: "false" switches restarts off',
    same,
  ],
  'it asks for nothing, and its windows are none': [
    'does not restart: nothing on it asks for restarts; annotate it with reloader.stakater.com/auto: "true"',
    same,
  ],
  'it asks for nothing, and its settle window is misspelt': [
    'does not restart: nothing on it asks for restarts; annotate it with reloader.stakater.com/auto: "true"',
    same,
  ],
  'it asks for nothing, and has a settle window': [
    'does not restart: annotation reroll.dev/settle="5s" has no effect: nothing here asks for restarts; add reloader.stakater.com/auto: "true"',
    same,
  ],
  'it lists a source of another namespace': [
    'does not restart as it seems to ask: annotation configmap.reloader.stakater.com/reload="shop/app" names a source in another namespace: only those in namespace default count; write the name alone',
    same,
  ],
  'it is narrowed to Secrets': [
    'does not restart for ConfigMap app: reloader.stakater.com/match or reloader.stakater.com/kind on the workload leaves ConfigMaps out',
    same,
  ],
  'it has switched off all but a list': [
    'does not restart for ConfigMap app: reloader.stakater.com/auto or configmap.reloader.stakater.com/auto on the workload switches restarts off',
    same,
  ],
  'it searches, and the source does not match': [
    'does not restart for ConfigMap app: the workload searches, and the ConfigMap is not annotated reloader.stakater.com/match: "true"',
    same,
  ],
  'ConfigMaps are not watched': [
    'does not restart for ConfigMap app: Reroll does not watch ConfigMaps: --resources-to-ignore leaves them out, or it is not allowed to list them',
    same,
  ],
  'the labels of its source are not selected': [
    'does not restart for ConfigMap app: the labels of the ConfigMap do not match --resource-label-selector=reload=yes',
    same,
  ],
  'it is paused by somebody else': [
    'restarted 59 seconds ago because key color of ConfigMap app changed, but the Deployment is paused, so its pods are not replaced',
    same,
  ],
  'its pods are replaced by hand': [
    'restarted 59 seconds ago because key color of ConfigMap app changed, but its pods are replaced only when somebody deletes them (updateStrategy OnDelete)',
    same,
  ],
  'its change is left to the next run': [
    'has the change for its next run since 59 seconds ago because key color of ConfigMap app changed',
    same,
  ],
  "somebody else's rollout brought the change": [
    'does not restart for ConfigMap app: helm wrote the workload 1 minute ago, after the change, and its pods started with it',
    same,
  ],
  'an annotation of it was written after the change': [
    'restarts in 3 minutes because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    'may restart in 3 minutes for ConfigMap app: Reroll waits until its sources are quiet (--settle) (last written 1 minute ago by kubectl)',
  ],
  'the API server refuses the restart': [
    'cannot be restarted although key color of ConfigMap app changed: the API server refuses the write: patch deployments.apps default/web: 422 the server rejected our request due to an error in our request',
    'could not be restarted for ConfigMap app: patch deployments.apps default/web: 422 the server rejected our request due to an error in our request',
  ],
  'the API server refused an earlier restart, and now RBAC does': [
    'cannot be restarted although key color of ConfigMap app changed: Reroll lacks a permission (KUBE_FORBIDDEN)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'it is being deleted': ['does not restart: it is being deleted', same],
  'only its labels were changed': [
    'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 1 minute ago by kubectl)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'everything is held': deferred('held by ConfigMap reroll/reroll-hold: incident 42'),
  'its namespace is held until a time': deferred(
    'held until 2026-01-03T00:00:00Z (in 1 day) by reroll.dev/hold on namespace default: release freeze',
  ),
  'it is held itself': deferred('held by reroll.dev/hold on the workload'),
  'its source is held': deferred('held by reroll.dev/hold on ConfigMap app'),
  'its windows are closed': deferred(
    'it restarts once its windows open, 2026-01-03T00:00:00Z (in 1 day) (--restart-windows: Sat,Sun)',
  ),
  'its minimum interval is not over': deferred(
    'it restarts once its minimum interval is over, 2026-01-01T01:02:06Z (in 58 minutes) (reroll.dev/min-interval on the workload: 1h)',
  ),
  'it restarts with the next rollout': deferred(
    'it restarts with the next rollout that somebody else makes (reroll.dev/restart on the workload)',
  ),
  'as many roll out as may': [
    'is not restarted yet although key color of ConfigMap app changed: it restarts in its turn (--max-rolling: 1 workload)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'others restart first': [
    'is not restarted yet although key color of ConfigMap app changed: ConfigMap app restarts its users in stages: Deployment canary must first be healthy for 30s',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'another comes first': [
    'is not restarted yet although key color of ConfigMap app changed: it restarts after others (reroll.dev/wave 0 comes first: Deployment first has still to restart)',
    'counts ConfigMap app, and whether it differs from what the pods run with is known to the leader only (last written 1 minute ago by kubectl)',
  ],
  'it uses nothing': [
    'does not restart: annotation reloader.stakater.com/auto="true" has no effect: the pod template uses no ConfigMap or Secret; use one, or list names in configmap.reloader.stakater.com/reload',
    same,
  ],
};

/** Those that end with 1: something is blocked, or there is no such object. */
const bad: Readonly<Record<Answering, readonly string[]>> = {
  leader: [
    ...['its restart is refused by RBAC', 'its baseline may not be written', 'the API server refuses the restart'],
    ...['it does not exist', 'its kind is not served'],
    'it does not exist, and its namespace is not selected',
    'it does not exist, and its namespace is not watched',
    'the API server refused an earlier restart, and now RBAC does',
  ],
  objects: [
    ...['the API server refuses the restart', 'it does not exist', 'its kind is not served'],
    'it does not exist, and its namespace is not selected',
    'it does not exist, and its namespace is not watched',
    'its Job is deleted, and cannot be created again yet',
  ],
};

describe('reroll why', () => {
  it('is asked in every situation', () => {
    expect(Object.keys(headlines).toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it.each(Object.entries(headlines))('names the cause if %s', async (what, [leader, objects]) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    const told = await ask(running, 'leader', situation);
    expect(firstLine(told)).toBe(leader);
    expect(told.code).toBe(bad.leader.includes(what) ? 1 : 0);
    expect(told.err).toBe('');
    const seen = await ask(running, 'objects', situation);
    expect(firstLine(seen)).toBe(objects === same ? leader : objects);
    expect(seen.code).toBe(bad.objects.includes(what) ? 1 : 0);
    expect(seen.err).toMatch(/^you may not get pods\/portforward; the answer is from what you may read yourself/);
  });

  it.each<[string, string, string]>([
    ['it was restarted', 'configmap/app', 'restarted 59 seconds ago because key color of ConfigMap app changed'],
    [
      'it was restarted',
      'secret/db',
      'does not restart for Secret db: it neither uses nor lists it, and there is no such Secret in namespace default',
    ],
    [
      'an excluded source was changed after a restart',
      'cm/app',
      'restarted 1 minute ago because key color of ConfigMap app changed',
    ],
    [
      'it was restarted for one source, and is held for another',
      'cm/app',
      'restarted 2 minutes ago because key color of ConfigMap app changed',
    ],
    [
      'Reroll holds it paused',
      'cm/app',
      'restarts in 4 minutes because key color of ConfigMap app changed: Reroll holds it paused until then (deployment.reloader.stakater.com/pause-period)',
    ],
    [
      'its settle window is open',
      'cm/app',
      'restarts in 50 seconds because key color of ConfigMap app changed: Reroll waits until its sources are quiet (--settle)',
    ],
    [
      'nothing has happened',
      'cm/app',
      'does not restart for ConfigMap app: the content that the workload uses is what its pods run with (last written 2 minutes ago by kubectl)',
    ],
  ])('if %s, answers for %s', async (what, source, expected) => {
    const situation = all[what]!;
    expect(firstLine(await ask(await inSituation(situation), 'leader', situation, '--for', source))).toBe(expected);
  });
});
