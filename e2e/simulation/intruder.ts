import { entryName, sealEntry, type JobRecreation } from '../../reconciler/apply/journal-entry';
import type { ApiServer } from '../apiserver/api-server';
import { seedNamespace } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { ownNamespace } from '../engine-settings';
import type { Draw } from './draw';
import { isEngine } from './engine-user';

/** The user who may write Secrets in Reroll's namespace, but has none of its keys. */
export const intruderUser = 'eve';

/** The namespace in which the intruder wants a Job. Nobody else uses it. */
export const targetNamespace = 'kube-system';

const prefix = 'reroll-job-';

/** A user who may create Secrets in Reroll's namespace, and wants a Job where they may not create one. */
export class Intruder {
  readonly #server: ApiServer;
  readonly #told: (who: string, what: string) => void;
  #forged = 0;

  constructor(server: ApiServer, told: (who: string, what: string) => void) {
    this.#server = server;
    this.#told = told;
  }

  /** Forges journal entries of recreations that no engine began. A leader that finds them must not carry them out. */
  forge(draw: Draw): void {
    seedNamespace(this.#server, targetNamespace);
    const { object, previous } = this.#ofEngine() ?? {};
    const heard = object ?? previous;
    const lies: readonly (readonly [string, JsonObject])[] = [
      ['without a MAC', withoutMac(this.#mine(draw))],
      ['under a key of their own', this.#mine(draw)],
      ...(heard ? ([['that is a copy of a true one', this.#renamed(heard, heard.metadata.annotations)]] as const) : []),
      ...(heard ? ([['of a true one, for another Job', this.#renamed(heard, this.#target())]] as const) : []),
    ];
    for (const [lie, secret] of draw.some(lies, 0.7)) {
      this.#told(intruderUser, `forges an entry of the journal ${lie}`);
      const context = writeBy(intruderUser, 'curl', 'create');
      void this.#server.registry.create(context, this.#server.kindOf('Secret'), ownNamespace, secret);
    }
  }

  #mine(draw: Draw): JsonObject {
    const entry: JobRecreation = {
      ...{ uid: `forged-${String(this.#forged++)}`, restartId: 'forged', sources: ['cm/app'], because: ['forged'] },
      successor: {
        ...{ apiVersion: 'batch/v1', kind: 'Job' },
        metadata: { name: 'forged', namespace: targetNamespace, annotations: {} },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'forged' }] } } },
      },
    };
    return sealEntry(draw.random.bytes(32), ownNamespace, entry) as unknown as JsonObject;
  }

  #renamed({ data, metadata: { labels } }: KubeObject, annotations: object | undefined): JsonObject {
    const name = entryName(`copied-${String(this.#forged++)}`);
    const metadata = { name, namespace: ownNamespace, labels: { ...labels }, annotations: { ...annotations } };
    return { apiVersion: 'v1', kind: 'Secret', metadata, data };
  }

  #target(): object {
    return { 'reroll.dev/journal-job-name': `${targetNamespace}/forged` };
  }

  /** The newest write of an engine to a journal entry. */
  #ofEngine() {
    return this.#server
      .history()
      .findLast(
        ({ kind, object, user }) => isEngine(user) && kind.kind === 'Secret' && object.metadata.name.startsWith(prefix),
      );
  }
}

function withoutMac(secret: JsonObject): JsonObject {
  const data = Object.entries(secret['data'] as JsonObject).filter(([key]) => key !== 'mac');
  return { ...secret, data: Object.fromEntries(data) };
}
