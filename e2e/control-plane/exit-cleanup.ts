import { runInThisContext } from 'node:vm';

/**
 * The process of the main context. Inside a Jest test the global `process` is a copy of it, on which neither `exit`
 * nor any signal is ever emitted.
 */
const realProcess = runInThisContext('process') as NodeJS.Process;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a synchronous action when this Node process ends for whatever reason it can notice: it exits, it crashes with
 * an exception, or it gets a signal. (What it cannot notice, SIGKILL, is left to `sweepAbandoned`.)
 *
 * @returns a function that forgets the action again.
 */
export function runAtExit(action: () => void): () => void {
  const forget = (): void => {
    realProcess.off('exit', action);
    for (const signal of signals) realProcess.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    forget();
    action();
    // A listener takes the default away, which is to end; it is given back unless someone else listens too.
    if (realProcess.listenerCount(signal) === 0) realProcess.kill(realProcess.pid, signal);
  };
  realProcess.on('exit', action);
  for (const signal of signals) realProcess.on(signal, onSignal);
  return forget;
}
