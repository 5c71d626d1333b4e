import { setTimeout as delay } from 'node:timers/promises';
import { MetricSamples } from '../metric-samples';
import { RerollProcess } from '../reroll-process';
import { podOf, type Pod } from './pod';
import { endedWithUs, isReady, probesOf, startShipped } from './shipped';
import type { Stage } from './stage';

/** What is measured: an implementation that runs as a process of its own. */
export interface Subject {
  readonly name: string;
  /** False for another implementation, of which only what it does to the cluster is known. */
  readonly isReroll: boolean;
  /** `flags` are Reroll's alone: another implementation has those of its command. */
  start(access: Access, flags?: readonly string[]): RunningSubject;
}

/** How a subject finds the cluster. */
export interface Access {
  readonly kubeconfig: string;
  /** What Reroll is told instead, where there is one: so it is installed. */
  readonly pod?: Pod | undefined;
}

/** For the conditions of a bench: what reads a kubeconfig needs memory that a pod does not need. */
export function described({ name, isReroll }: Subject, { pod }: Access): string {
  return isReroll && pod ? `${name}, as in a pod` : `${name}, by kubeconfig`;
}

/** That of the user that a subject is. */
export async function accessTo(stage: Stage): Promise<Access> {
  return { kubeconfig: await stage.kubeconfigFor('subject'), pod: await podOf(stage, 'subject') };
}

export interface RunningSubject {
  readonly pid: number;
  /** As `performance.now()` tells it. */
  readonly startedMs: number;
  /** Resolves once it says that it is ready; at once where it cannot be asked. Being asked costs it time. */
  ready(askEveryMs?: number): Promise<void>;
  /** Undefined where it cannot be asked. */
  metrics(): Promise<MetricSamples | undefined>;
  end(): Promise<void>;
}

const defaultAskMs = 5;

/** The reconciler of the shipped bundle, as it acts without flags. */
export const reroll: Subject = rerollCommand('reconciler', []);

/** The webhook of the shipped bundle; certificates must be there for it. */
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

/** Another implementation: a command for the shell, which finds the cluster by `KUBECONFIG`. */
export function otherSubject(command: string): Subject {
  return {
    name: command,
    isReroll: false,
    start({ kubeconfig }) {
      const startedMs = performance.now();
      // The shell becomes the command, so that the process is the one that is measured.
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
