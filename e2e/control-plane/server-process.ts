import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identifyProcess, isRunning, signalProcess } from './process-identity';

/** A command line. */
export interface ServerCommand {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** The folders of a server process. */
export interface ServerSurroundings {
  readonly workDir: string;
  readonly logDir: string;
}

/** A long-running child process whose output goes to a file. */
export interface ServerProcess extends ProcessIdentity {
  readonly name: string;
  readonly logPath: string;
  /** Resolves with a description of how the process ended. Never rejects. */
  readonly exited: Promise<string>;
  /** A description of how the process ended; undefined while it runs. */
  exitReason(): string | undefined;
  /** Sends the signal and waits for the end; kills the process when it takes longer than the grace period. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
  /** The end of the log, for error messages. */
  logTail(): Promise<string>;
}

const logTailLines = 15;

/** Starts a server process. It appends to its log, so a restart keeps the output of the first process. */
export async function startServerProcess(
  command: ServerCommand,
  surroundings: ServerSurroundings,
): Promise<ServerProcess> {
  const logPath = path.join(surroundings.logDir, `${command.name}.log`);
  const log = openSync(logPath, 'a', 0o600);
  const child = spawn(command.file, command.args, {
    cwd: surroundings.workDir,
    // HOME is the work folder, so that no file of the developer (~/.kwok/kwok.yaml, ~/.kube) affects a test.
    env: { PATH: process.env['PATH'], HOME: surroundings.workDir },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // A program that forgets to stop its control plane should end (and clean up at its exit), not hang.
  child.unref();

  let reason: string | undefined;
  const exited = new Promise<string>((resolve) => {
    const end = (words: string): void => {
      reason = words;
      resolve(words);
    };
    child.once('exit', (code, signal) => end(signal === null ? `exited with code ${String(code)}` : `got ${signal}`));
    child.once('error', (error) => end(error.message));
  });
  // If the file cannot be run, the 'error' event comes in a later tick.
  if (child.pid === undefined) throw new Error(`cannot run ${command.file}: ${await exited}`);

  const logTail = async (): Promise<string> =>
    (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-logTailLines).join('\n');
  const identity = identifyProcess(child.pid);
  if (identity === undefined) throw new Error(`${command.name} ${await exited}:\n${await logTail()}`);

  return {
    ...identity,
    name: command.name,
    logPath,
    exited,
    exitReason: () => reason,
    logTail,
    async stop(signal = 'SIGTERM', graceMs = 10_000) {
      child.ref();
      signalProcess(identity, signal);
      const timer = new AbortController();
      await Promise.race([exited, delay(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
      timer.abort();
      if (isRunning(identity)) signalProcess(identity, 'SIGKILL');
      await exited;
    },
  };
}
