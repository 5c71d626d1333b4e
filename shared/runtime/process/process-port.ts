import type { ProcessPort } from './lifecycle';

/** The process as a lifecycle sees it. */
export function processPort(process: NodeJS.Process): ProcessPort {
  return {
    onSignal: (signal, listener) => void process.on(signal, listener),
    onCrash: (listener) => {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    exit: (code) => process.exit(code),
  };
}
