import { setTimeout as delay } from 'node:timers/promises';
import { MetricSamples } from '../metric-samples';
import { RerollProcess } from '../reroll-process';
import { type Access, inPod } from './access';
import { isReady, probesOf, startShipped } from './shipped';

/** What is measured: an implementation that runs as a process of its own. */
export interface Subject {
  readonly name: string;
  /** False for another implementation, of which only what it does to the cluster is known. */
  readonly isReroll: boolean;
  /** `flags` are Reroll's alone: another implementation has those of its command. */
  start(access: Access, flags?: readonly string[]): RunningSubject;
}

export interface RunningSubject {
  readonly pid: number;
  /** As `performance.now()` tells it. */
  readonly startedMs: number;
  /** Resolves once it says that it is ready; at once where it cannot be asked. */
  ready(): Promise<void>;
  /** Undefined where it cannot be asked. */
  metrics(): Promise<MetricSamples | undefined>;
  end(): Promise<void>;
}

const readyPollMs = 5;

/** The reconciler of the shipped bundle, as in a pod where that can be had; with its defaults, unless `flags` say otherwise. */
export const reroll: Subject = {
  name: 'reroll reconciler',
  isReroll: true,
  start(access, flags = []) {
    const startedMs = performance.now();
    const pod = inPod(access);
    // The reader of kubeconfigs is a large library, which no pod loads.
    const way = pod ? [] : [`--kubeconfig=${access.kubeconfig}`, '--own-namespace=reroll'];
    const args = ['reconciler', ...way, '--listen=127.0.0.1:0', '--log-format=json', ...flags];
    const started = startShipped(args, { pod });
    return {
      pid: pidOf(started),
      startedMs,
      async ready() {
        const probes = await probesOf(started);
        while (!(await isReady(probes))) await delay(readyPollMs);
      },
      metrics: async () => new MetricSamples(await (await fetch(`http://${await probesOf(started)}/metrics`)).text()),
      async end() {
        await started.end();
      },
    };
  },
};

/** Another implementation: a command for the shell, which finds the cluster by `KUBECONFIG`. */
export function otherSubject(command: string): Subject {
  return {
    name: command,
    isReroll: false,
    start({ kubeconfig }) {
      const startedMs = performance.now();
      // The shell becomes the command, so that the process is the one that is measured.
      const started = new RerollProcess({
        args: [`exec ${command}`],
        env: { KUBECONFIG: kubeconfig },
        command: ['/bin/sh', '-c'],
      });
      process.once('exit', () => void started.end('SIGKILL'));
      return {
        pid: pidOf(started),
        startedMs,
        ready: () => Promise.resolve(),
        metrics: () => Promise.resolve(undefined),
        async end() {
          await started.end('SIGKILL');
        },
      };
    },
  };
}

function pidOf({ pid }: RerollProcess): number {
  if (pid === undefined) throw new Error('the process under test did not start');
  return pid;
}
