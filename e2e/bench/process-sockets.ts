import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a process holds open, by the kernel's own account (proc(5)). */
export interface OpenFiles {
  /** All file descriptors. */
  readonly count: number;
  /** Inodes of those that are sockets, in the kernel's tables of connections. */
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

/** Established connections of a process to a port, over IPv4. */
export function connectionsTo(pid: number, port: number): number {
  const { sockets } = openFiles(pid);
  return establishedTo(readFileSync(`/proc/${pid}/net/tcp`, 'utf8'), port).filter((inode) => sockets.has(inode)).length;
}

/** Inodes of the established connections to a port, out of a table as `/proc/net/tcp` is one. */
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

/** A descriptor may be closed while they are listed. */
function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
