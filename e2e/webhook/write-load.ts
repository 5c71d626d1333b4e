import { merge, type ContractClient } from '../apiserver/contract/contract-client';
import { configMap, secret } from '../apiserver/cluster';
import { namespace } from './reroll-cluster';

/** The outcome of a load. */
export interface LoadResult {
  readonly perSecond: number;
  readonly slowestMs: number;
  /** One entry for each write that failed. */
  readonly failures: readonly string[];
}

const names = ['load-0', 'load-1', 'load-2', 'load-3'];

/** Users who write Secrets and ConfigMaps, each one write after the other, until they are stopped. */
export class WriteLoad {
  readonly #client: ContractClient;
  readonly #startMs = performance.now();
  readonly #done: Promise<unknown>;
  readonly #failures: string[] = [];
  #stopped = false;
  #writes = 0;
  #slowestMs = 0;

  static async start(client: ContractClient): Promise<WriteLoad> {
    const root = `/api/v1/namespaces/${namespace}`;
    for (const name of names) {
      await client.post(`${root}/configmaps`, configMap({ name, namespace }));
      await client.post(`${root}/secrets`, secret({ name, namespace }));
    }
    return new WriteLoad(client, [
      ...names.map((name) => `${root}/configmaps/${name}`),
      ...names.map((name) => `${root}/secrets/${name}`),
    ]);
  }

  private constructor(client: ContractClient, paths: readonly string[]) {
    this.#client = client;
    this.#done = Promise.all(paths.map(async (path) => await this.#writeTo(path)));
  }

  async stop(): Promise<LoadResult> {
    this.#stopped = true;
    await this.#done;
    const seconds = (performance.now() - this.#startMs) / 1_000;
    return { perSecond: this.#writes / seconds, slowestMs: this.#slowestMs, failures: this.#failures };
  }

  async #writeTo(path: string): Promise<void> {
    for (let count = 0; !this.#stopped; count++) {
      const startMs = performance.now();
      try {
        const value = Buffer.from(String(count)).toString('base64');
        const { status, bytes } = await this.#client.patch(path, merge, { data: { value } });
        if (status !== 200) this.#failures.push(`${path}: ${String(status)} ${bytes.toString('utf8')}`);
      } catch (thrown) {
        this.#failures.push(`${path}: ${String(thrown)}`);
      }
      this.#writes++;
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startMs);
    }
  }
}
