import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ProcessIdentity, identifyProcess, isRunning, signalProcess } from './process-identity';

const dirPrefix = 'reroll-control-plane-';
const ownershipFile = 'processes.json';

/** The processes that use a data folder: the Node process that created it and the servers that it started. */
interface Ownership {
  readonly owner: ProcessIdentity;
  readonly servers: readonly ProcessIdentity[];
}

/** Creates a data folder that only this user can read, because it holds private keys. */
export function createDataDir(parentDir: string = tmpdir()): string {
  const dir = mkdtempSync(path.join(parentDir, dirPrefix));
  recordServers(dir, []);
  return dir;
}

/** Records which servers use a data folder, so that a later run can clean up if the owner is killed. */
export function recordServers(dir: string, servers: readonly ProcessIdentity[]): void {
  const owner = identifyProcess(process.pid);
  if (owner === undefined) throw new Error('cannot read the start time of this process');
  const ownership: Ownership = {
    owner,
    servers: servers.map(({ pid, kernelStartTime }) => ({ pid, kernelStartTime })),
  };
  writeFileSync(path.join(dir, ownershipFile), JSON.stringify(ownership));
}

/** Kills servers and removes their data folder, synchronously, so it also works while the process exits. */
export function killAndRemove(dir: string, servers: readonly ProcessIdentity[]): void {
  for (const server of servers) signalProcess(server, 'SIGKILL');
  // A killed server may still write for a moment, so the first removal can fail with ENOTEMPTY.
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/**
 * Cleans up after owners that were killed: kills their servers and removes their folders.
 *
 * @returns the folders that were removed.
 */
export function sweepAbandoned(parentDir: string = tmpdir()): string[] {
  const swept: string[] = [];
  for (const entry of readdirSync(parentDir)) {
    if (!entry.startsWith(dirPrefix)) continue;
    const dir = path.join(parentDir, entry);
    const ownership = readOwnership(dir);
    if (ownership === undefined || isRunning(ownership.owner)) continue;
    killAndRemove(dir, ownership.servers);
    swept.push(dir);
  }
  return swept;
}

/** Reads which processes use a folder; undefined for another user's folder, whose pids must not be trusted. */
function readOwnership(dir: string): Ownership | undefined {
  try {
    if (statSync(dir).uid !== process.getuid?.()) return undefined;
    const read: unknown = JSON.parse(readFileSync(path.join(dir, ownershipFile), 'utf8'));
    return isOwnership(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isOwnership(value: unknown): value is Ownership {
  return (
    typeof value === 'object' &&
    value !== null &&
    'owner' in value &&
    isProcessIdentity(value.owner) &&
    'servers' in value &&
    Array.isArray(value.servers) &&
    value.servers.every(isProcessIdentity)
  );
}

function isProcessIdentity(value: unknown): value is ProcessIdentity {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'kernelStartTime' in value &&
    typeof value.kernelStartTime === 'string'
  );
}
