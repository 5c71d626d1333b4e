import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createTemporaryDir } from '../../control-plane/temporary-dir';
import type { Stage } from '../stage';

/** What came, and how long it took from the start of curl until the last of it was there. */
export interface Download {
  readonly bytes: number;
  readonly ms: number;
}

export interface CurlRequest {
  readonly path: string;
  readonly accept: string;
  /** Less than this is not all of it. */
  readonly leastBytes: number;
}

const lookEveryMs = 5;
const silenceMs = 500;
const timeoutMs = 120_000;

/** `curl` with credentials for a stage: HTTP/1.1 over TLS with a certificate, as the subject reads. */
export class Curl {
  readonly #url: string;
  readonly #dir = createTemporaryDir();
  readonly #credentials: readonly string[];

  static async for(stage: Stage): Promise<Curl> {
    const { certPem, keyPem } = await stage.identityFor('floor');
    return new Curl(stage.url, { cacert: stage.caPem, cert: certPem, key: keyPem });
  }

  private constructor(url: string, credentials: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#credentials = Object.entries(credentials).flatMap(([flag, pem]) => {
      const file = join(this.#dir.dir, flag);
      writeFileSync(file, pem, { mode: 0o600 });
      return [`--${flag}`, file];
    });
  }

  /** Reads bodies that end by themselves, all at once. */
  async whole(requests: readonly CurlRequest[]): Promise<Download> {
    const startMs = performance.now();
    const downloads = requests.map(async ({ path, accept, leastBytes }) => {
      const child = this.#start(path, accept);
      const bytes = Number(child.stdout && (await text(child.stdout)));
      if (!(bytes >= leastBytes)) throw new Error(`curl ${path}: ${bytes} bytes instead of at least ${leastBytes}`);
      return bytes;
    });
    return { bytes: sum(await Promise.all(downloads)), ms: performance.now() - startMs };
  }

  /** Reads watches, all at once, each until it has so many bytes and falls silent: what comes at first. */
  async streams(requests: readonly CurlRequest[]): Promise<Download> {
    const startMs = performance.now();
    const downloads = requests.map(async (request) => {
      const child = this.#start(request.path, request.accept);
      try {
        return await firstPart(child.pid ?? 0, request);
      } finally {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    });
    const parts = await Promise.all(downloads);
    return { bytes: sum(parts.map(({ bytes }) => bytes)), ms: Math.max(...parts.map(({ atMs }) => atMs)) - startMs };
  }

  dispose(): void {
    this.#dir.dispose();
  }

  #start(path: string, accept: string): ChildProcess {
    const flags = ['--silent', '--show-error', '--fail', '--http1.1', '--no-buffer', '--output', '/dev/null'];
    const asked = ['--header', `Accept: ${accept}`, '--write-out', '%{size_download}', `${this.#url}${path}`];
    const child = spawn('curl', [...flags, ...this.#credentials, ...asked], { stdio: ['ignore', 'pipe', 'inherit'] });
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('close', () => process.off('exit', kill));
    return child;
  }
}

async function firstPart(pid: number, { path, leastBytes }: CurlRequest) {
  const untilMs = performance.now() + timeoutMs;
  let [bytes, atMs] = [0, performance.now()];
  while (performance.now() < untilMs) {
    const [written, nowMs] = [bytesWrittenBy(pid), performance.now()];
    if (written > bytes) [bytes, atMs] = [written, nowMs];
    else if (bytes >= leastBytes && nowMs - atMs >= silenceMs) return { bytes, atMs };
    await delay(lookEveryMs);
  }
  throw new Error(`curl ${path}: ${bytes} bytes within ${timeoutMs} ms instead of at least ${leastBytes}`);
}

/** By the kernel's account (proc(5), `io`): to look at the bytes themselves would take time from whoever sends them. */
function bytesWrittenBy(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
