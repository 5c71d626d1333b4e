import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { createTemporaryDir } from '../../control-plane/temporary-dir';
import { RerollProcess } from '../../reroll-process';
import { nodeOptions } from '../../image-environment';
import type { Stage } from '../stage';

/** What the program `client.ts` is told, by a file. */
export interface FloorSettings extends FloorTask {
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** Open from the start. */
  readonly connections: number;
}

export interface FloorTask {
  readonly namespace: string;
  /** The ConfigMap. */
  readonly source: string;
  readonly deployments: readonly string[];
  /** One Deployment for each change instead of all: two changes of one would meet its controller at work. */
  readonly inTurn: boolean;
}

export interface RunningFloor {
  readonly pid: number;
  end(): Promise<void>;
}

/** As many as Reroll has. */
const connections = 16;

/** As Reroll is shipped. */
const nodeFlags = [nodeOptions];

/** Starts the raw floor as a process and resolves once it watches. */
export async function startFloor(stage: Stage, task: FloorTask): Promise<RunningFloor> {
  const temporary = createTemporaryDir();
  const program = join(temporary.dir, 'client.cjs');
  const settingsFile = join(temporary.dir, 'settings.json');
  buildSync({
    entryPoints: [join(__dirname, 'client.ts')],
    outfile: program,
    ...{ bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', logLevel: 'warning' },
  });
  const identity = await stage.identityFor('floor');
  const settings: FloorSettings = { ...task, ...identity, server: stage.url, caPem: stage.caPem, connections };
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  const started = new RerollProcess({ command: [process.execPath, ...nodeFlags, program], args: [settingsFile] });
  process.once('exit', () => void started.end('SIGKILL'));
  const end = async (): Promise<void> => {
    await started.end('SIGKILL');
    temporary.dispose();
  };
  try {
    await started.line(({ message }) => message === 'ready');
    return { pid: started.pid ?? 0, end };
  } catch (error) {
    await end();
    throw error;
  }
}
