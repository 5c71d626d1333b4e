import { runInThisContext } from 'node:vm';

/**
 * The process of the main context. Inside a Jest test the global `process` is a copy of it, on which neither `exit`
 * nor any signal is ever emitted.
 */
const realProcess = runInThisContext('process') as NodeJS.Process;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a synchronous action when this Node process ends for any reason that it can notice: it exits, it crashes with
 * an exception, or it gets a signal. (It cannot notice SIGKILL; `sweepAbandoned` cleans up after that.)
 *
 * @returns a function that cancels the action.
 */
export function runAtExit(action: () => void): () => void {
  const forget = (): void => {
    realProcess.off('exit', action);
    for (const signal of signals) realProcess.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    forget();
    action();
    // Our listener replaced the default, which ends the process. Unless another listener remains, restore the default.
    if (realProcess.listenerCount(signal) === 0) realProcess.kill(realProcess.pid, signal);
  };
  realProcess.on('exit', action);
  for (const signal of signals) realProcess.on(signal, onSignal);
  return forget;
}
