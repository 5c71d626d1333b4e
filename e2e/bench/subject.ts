import { setTimeout as delay } from 'node:timers/promises';
import { MetricSamples } from '../metric-samples';
import { RerollProcess } from '../reroll-process';
import { podOf, type Pod } from './pod';
import { endedWithUs, isReady, probesOf, startShipped } from './shipped';
import type { Stage } from './stage';

/** The implementation that is measured. It runs as a process of its own. */
export interface Subject {
  readonly name: string;
  /** False for another implementation, which is known only by what it does to the cluster. */
  readonly isReroll: boolean;
  /** `flags` are for Reroll only: the command of another implementation has its own. */
  start(access: Access, flags?: readonly string[]): RunningSubject;
}

/** How a subject finds the cluster. */
export interface Access {
  readonly kubeconfig: string;
  /** If defined, Reroll uses it instead of the kubeconfig, as an installed Reroll does. */
  readonly pod?: Pod | undefined;
}

/** The subject as a condition of a bench: reading a kubeconfig takes memory that Reroll in a pod does not need. */
export function described({ name, isReroll }: Subject, { pod }: Access): string {
  return isReroll && pod ? `${name}, as in a pod` : `${name}, by kubeconfig`;
}

/** Access with the credentials of the user `subject`. */
export async function accessTo(stage: Stage): Promise<Access> {
  return { kubeconfig: await stage.kubeconfigFor('subject'), pod: await podOf(stage, 'subject') };
}

export interface RunningSubject {
  readonly pid: number;
  /** By `performance.now()`. */
  readonly startedMs: number;
  /** Resolves once it reports ready; at once if it cannot be asked. Each probe costs it CPU time. */
  ready(askEveryMs?: number): Promise<void>;
  /** Resolves to undefined if it cannot be asked. */
  metrics(): Promise<MetricSamples | undefined>;
  end(): Promise<void>;
}

const defaultAskMs = 5;

/** With limits and stages, a bench of many restarts would measure how fast the cluster rolls out. A later flag counts instead. */
const unlimited = ['--max-rolling=0', '--max-rolling-per-namespace=0', '--stages-from=0'];

/** The reconciler of the shipped bundle, with default flags but for these. */
export const reroll: Subject = rerollCommand('reconciler', unlimited);

/** The webhook of the shipped bundle. Its certificates must exist. */
export const rerollWebhook: Subject = rerollCommand('webhook', ['--webhook-listen=127.0.0.1:0']);

function rerollCommand(command: string, own: readonly string[]): Subject {
  return {
    name: `reroll ${command}`,
    isReroll: true,
    start({ kubeconfig, pod }, flags = []) {
      const startedMs = performance.now();
      const where = pod ? [] : [`--kubeconfig=${kubeconfig}`, '--own-namespace=reroll'];
      const common = ['--listen=127.0.0.1:0', '--log-format=json'];
      const started = startShipped([command, ...where, ...common, ...own, ...flags], { pod });
      return {
        pid: pidOf(started),
        startedMs,
        async ready(askEveryMs = defaultAskMs) {
          const probes = await probesOf(started);
          while (!(await isReady(probes))) await delay(askEveryMs);
        },
        metrics: async () => new MetricSamples(await (await fetch(`http://${await probesOf(started)}/metrics`)).text()),
        async end() {
          await started.end();
        },
      };
    },
  };
}

/** Another implementation: a shell command that finds the cluster through `KUBECONFIG`. */
export function otherSubject(command: string): Subject {
  return {
    name: command,
    isReroll: false,
    start({ kubeconfig }) {
      const startedMs = performance.now();
      // The shell execs the command, so the pid is that of the measured process.
      const started = endedWithUs(
        new RerollProcess({
          args: [`exec ${command}`],
          env: { KUBECONFIG: kubeconfig },
          command: ['/bin/sh', '-c'],
        }),
      );
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
