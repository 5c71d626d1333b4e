import { execFile } from 'node:child_process';
import { bundlePath } from '../reroll-process';

/** What a command for people printed, and how it ended. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the bundle as a person does, with their kubeconfig. */
export async function ask(kubeconfig: string, args: readonly string[]): Promise<Answer> {
  const env = { PATH: process.env['PATH'] };
  const command = [bundlePath, ...args, `--kubeconfig=${kubeconfig}`];
  return await new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}
