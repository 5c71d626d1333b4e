import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The open file descriptors of a process, as the kernel reports them (proc(5)). */
export interface OpenFiles {
  /** Number of file descriptors. */
  readonly count: number;
  /** Inodes of the sockets, by which the kernel's connection tables list them. */
  readonly sockets: ReadonlySet<string>;
}

export function openFiles(pid: number): OpenFiles {
  const dir = `/proc/${pid}/fd`;
  const descriptors = readdirSync(dir);
  const sockets = descriptors.flatMap((descriptor) => {
    const inode = /^socket:\[(\d+)\]$/.exec(target(join(dir, descriptor)))?.[1];
    return inode === undefined ? [] : [inode];
  });
  return { count: descriptors.length, sockets: new Set(sockets) };
}

/** Number of established connections of a process to a port, over IPv4. */
export function connectionsTo(pid: number, port: number): number {
  const { sockets } = openFiles(pid);
  return establishedTo(readFileSync(`/proc/${pid}/net/tcp`, 'utf8'), port).filter((inode) => sockets.has(inode)).length;
}

/** Inodes of the established connections to a port, from a table in the format of `/proc/net/tcp`. */
export function establishedTo(table: string, port: number): readonly string[] {
  const remotePort = port.toString(16).toUpperCase().padStart(4, '0');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, , remote, state, , , , , , inode]) =>
      remote?.endsWith(`:${remotePort}`) === true && state === established && inode !== undefined ? [inode] : [],
    );
}

const established = '01';

/** Returns an empty string for a descriptor that was closed since it was listed. */
function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
