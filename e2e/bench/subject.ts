import { setTimeout as delay } from 'node:timers/promises';
import { MetricSamples } from '../metric-samples';
import { RerollProcess } from '../reroll-process';
import { isReady, probesOf, startShipped } from './shipped';

/** What is measured: an implementation that runs as a process of its own. */
export interface Subject {
  readonly name: string;
  /** False for another implementation, of which only what it does to the cluster is known. */
  readonly isReroll: boolean;
  /** `flags` are Reroll's alone: another implementation has those of its command. */
  start(kubeconfig: string, flags?: readonly string[]): RunningSubject;
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

/** The reconciler of the shipped bundle, acting at once unless `flags` say otherwise. */
export const reroll: Subject = {
  name: 'reroll reconciler',
  isReroll: true,
  start(kubeconfig, flags = []) {
    const startedMs = performance.now();
    const common = [`--kubeconfig=${kubeconfig}`, '--own-namespace=reroll', '--listen=127.0.0.1:0'];
    const started = startShipped(['reconciler', ...common, '--log-format=json', ...flags]);
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
    start(kubeconfig) {
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
