import { playAuthor, playWithoutWebhook } from './author-scenes';
import { playChange } from './change-scene';
import { agentConfig, appConfig, batchConfig, certificates, credentials, edit } from './edits';
import { playFirstSight } from './first-sight';
import { playGracefulEnd } from './graceful-end';
import { awaitRollout } from './rollout';
import type { Stage } from './stage';
import { playWhy } from './why-scene';

/** A part of the demo. */
export interface Scene {
  readonly title: string;
  /** For somebody who has never seen Reroll. */
  readonly about: string;
  readonly play: (stage: Stage) => Promise<void>;
}

/** The whole burst is shorter than a process start: the successor of one killed during it finds all edits made. */
const burstGapMs = 8;
const takeBackMs = 100;
const downMs = 300;

/** Workloads that use `app-config` but must not be restarted when it changes. */
const unmoved = ['Deployment picky', 'Deployment legacy'];

/** The demo, in order: later scenes build on the state that earlier ones leave. */
export const scenes: readonly Scene[] = [
  {
    title: 'First sight',
    about: 'Who asks for restarts gets a baseline, the digests of what it uses now. Nothing is restarted.',
    play: playFirstSight,
  },
  {
    title: 'One key of a ConfigMap changes',
    about: 'web uses all of it, api another key, picky excludes it, legacy never asked for restarts.',
    play: async (stage) =>
      await playChange(stage, {
        source: appConfig,
        restarts: { 'Deployment web': ['color'] },
        leftAlone: ['Deployment api', ...unmoved],
        cost: { 'create events': 1, 'patch deployments.apps': 1 },
        make: async () => await edit(stage, appConfig, { color: 'blue' }),
      }),
  },
  {
    title: 'A Secret changes',
    about: 'The StatefulSet has it in its list. Its pods are replaced one by one, and read the new content.',
    play: async (stage) => {
      const before = stage.cluster.podsOf('db');
      await playChange(stage, {
        source: credentials,
        restarts: { 'StatefulSet db': ['password'] },
        leftAlone: [],
        cost: { 'create events': 1, 'patch statefulsets.apps': 1 },
        make: async () => await edit(stage, credentials, { password: 'open sesame' }),
        follow: async () => await awaitRollout(stage, 'db', credentials, before),
      });
    },
  },
  {
    title: 'A key that no pod reads',
    about: 'api mounts two of the three keys of this Secret.',
    play: async (stage) =>
      await playChange(stage, {
        source: certificates,
        restarts: {},
        leftAlone: ['Deployment api'],
        cost: {},
        make: async () => await edit(stage, certificates, { 'ca.crt': 'open sesame' }),
      }),
  },
  {
    title: 'A burst of ten edits',
    about: 'A restart waits until the sources have been quiet, here for half a second.',
    play: async (stage) =>
      await playChange(stage, {
        source: appConfig,
        restarts: { 'Deployment web': ['log-level', 'page-size'], 'Deployment api': ['log-level'] },
        leftAlone: unmoved,
        // One Event and one PATCH for each restarted workload, however many edits there were, and no reads.
        cost: { 'create events': 2, 'patch deployments.apps': 2 },
        make: async () => {
          for (let count = 1; count < 10; count++) {
            await stage.cluster.edit(appConfig, {
              'log-level': `level-${String(count)}`,
              'page-size': `2${String(count)}`,
            });
            await stage.pause(burstGapMs);
          }
          stage.timeline.row('edits', 'ConfigMap app-config: nine edits one upon the other, and then', {
            tone: 'warning',
          });
          return await edit(stage, appConfig, { 'log-level': 'debug', 'page-size': '30' });
        },
      }),
  },
  {
    title: 'An edit that is taken back',
    about: 'Within the half second the content is what it was before: there is nothing to restart for.',
    play: async (stage) =>
      await playChange(stage, {
        source: agentConfig,
        restarts: {},
        leftAlone: ['DaemonSet agent'],
        cost: {},
        make: async () => {
          await edit(stage, agentConfig, { interval: '60s' });
          await stage.pause(takeBackMs);
          return await edit(stage, agentConfig, { interval: '10s' }, ', back to what it was');
        },
      }),
  },
  {
    title: 'An edit of metadata alone',
    about: 'A label on a ConfigMap is nothing that a pod reads.',
    play: async (stage) =>
      await playChange(stage, {
        source: appConfig,
        restarts: {},
        leftAlone: [],
        cost: {},
        make: async () => {
          await stage.cluster.label(appConfig, 'team', 'checkout');
          stage.timeline.row('edit', 'ConfigMap app-config: label team, and no data', { tone: 'warning' });
          return { what: 'the change', atMs: stage.clock.nowMs() };
        },
      }),
  },
  {
    title: 'A CronJob and a Job',
    about: 'The CronJob is run now, as a new Job; the Job, whose template nobody may change, is created anew.',
    play: async (stage) =>
      await playChange(stage, {
        source: batchConfig,
        restarts: { 'CronJob report': ['currency'], 'Job migrate': ['currency'] },
        leftAlone: [],
        make: async () => await edit(stage, batchConfig, { currency: 'USD' }),
      }),
  },
  {
    title: 'kill -9, and a change while nobody watches',
    about: 'The next process compares what it finds with the baselines, and so misses nothing.',
    play: async (stage) =>
      await playChange(stage, {
        source: agentConfig,
        restarts: { 'DaemonSet agent': ['interval'] },
        leftAlone: [],
        make: async () => {
          await stage.supervisor.killAndHold();
          await edit(stage, agentConfig, { interval: '30s' });
          await stage.pause(downMs);
          const atMs = stage.clock.nowMs();
          stage.supervisor.start();
          return { what: 'the return', atMs };
        },
      }),
  },
  {
    title: 'The webhook: who changed which key',
    about:
      'The API server asks it about each write before it stores it. It allows all of them, and tells the reconciler.',
    play: playAuthor,
  },
  {
    title: 'kill -9 of the webhook, and a change all the same',
    about:
      'The API server goes on without it, and the reconciler sees the change by its watch. Who made it is not known.',
    play: playWithoutWebhook,
  },
  {
    title: 'A graceful end, and the account',
    about: 'SIGTERM: what is under way is finished, the lease is given back. Then the history is gone through.',
    play: playGracefulEnd,
  },
  {
    title: 'reroll why: what a person asks afterwards',
    about:
      'The command asks the leader, a process that made none of the restarts, by a port forward of the API server.',
    play: playWhy,
  },
];
