import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processUsage } from './process-usage';

/** Often enough to be measured within a minute. */
const everyMs = 100;

const program = `setInterval(() => undefined, ${everyMs}); console.log('running')`;

/** A process that has a timer, and nothing to do. */
export interface BareTimer {
  cpuSeconds(): number;
  end(): void;
}

/**
 * Starts a process that only wakes up. On a virtual machine with busy neighbours that takes several times as much CPU
 * time as a few minutes later, so what a process at rest takes can only be judged beside it.
 */
export async function startBareTimer(): Promise<BareTimer> {
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  await once(child.stdout, 'data');
  return {
    cpuSeconds: () => processUsage(child.pid ?? NaN).cpuSeconds,
    end() {
      process.off('exit', end);
      end();
    },
  };
}
