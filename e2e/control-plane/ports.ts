import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux (32768 and more) and macOS (49152 and more) give to outgoing connections. The kernel would
 * give such a port to any client of a suite beside this one, after it was found free and before its server listens.
 */
const firstPort = 20_000;

/** Each worker of Jest draws from a range of its own, so two suites never find the same port free. */
const portsPerWorker = 2_000;
const workers = 6;

/**
 * The next port of the range that was not found yet. A server may listen only seconds after its port was found, so a
 * later call must not find that port again.
 */
let next = randomInt(portsPerWorker);

/** Finds free loopback ports. A suite finds no port twice before it has been through its whole range. */
export async function freePorts(count: number): Promise<number[]> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % workers;
  const found: number[] = [];
  for (let tried = 0; found.length < count; tried++) {
    if (tried === portsPerWorker)
      throw new Error(`fewer than ${String(count)} ports of worker ${String(worker)} are free`);
    const port = firstPort + worker * portsPerWorker + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) found.push(port);
  }
  return found;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}
