import type { ApiServer } from '../apiserver/api-server';
import { arrayAt, objectAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy, type WriteContext } from '../apiserver/registry';
import { StatusError } from '../apiserver/status';
import { storeKey } from '../apiserver/store';
import { decodedData } from './contents';
import type { Place } from './places';
import { podTemplateOf } from './usage';

/** The users whose edits are stored, unless something prevents that. */
const authors = ['alice', 'bob', 'carol'] as const;

/**
 * Sends the edits of users to the server, in order. Each edit starts from the result of the one before, and is made by
 * one of the users.
 */
export class Edits {
  readonly #server: ApiServer;
  readonly #told: (what: string) => void;
  #writes = 0;
  #done = Promise.resolve();
  #busy = 0;

  /** `told` adds a line to the story. */
  constructor(server: ApiServer, told: (what: string) => void) {
    this.#server = server;
    this.#told = told;
  }

  /** True if every edit that was begun has been answered. */
  get idle(): boolean {
    return this.#busy === 0;
  }

  create(place: Place, object: JsonObject): void {
    const { kind, namespace: within, name } = place;
    this.do(`create ${kind} ${within}/${name}${shown(object as unknown as KubeObject)}`, async (context) => {
      await this.#server.registry.create(context, this.#server.kindOf(kind), within, object);
    });
  }

  delete({ kind, namespace: within, name }: Place): void {
    this.do(`delete ${kind} ${within}/${name}`, async (context) => {
      const options = { propagationPolicy: 'Background' } as const;
      await this.#server.registry.delete(context, this.#server.kindOf(kind), within, name, options);
    });
  }

  /** `change` gets the object as it is when the edit's turn has come. */
  change(place: Place, verb: string, change: (current: KubeObject) => JsonObject, as?: WriteContext): void {
    const { kind, namespace: within, name } = place;
    this.do(`${verb} ${kind} ${within}/${name}`, async (context) => await this.#update(context, place, change), as);
  }

  /** The edit of a tool that writes the whole object, and knows nothing of it but its own file. */
  replace(place: Place, change: (current: KubeObject) => JsonObject): void {
    this.change(place, 'replace', change, this.#anyAuthor('kubectl-replace'));
  }

  /** Does not wait for its turn, but races with whatever else is written at this moment. */
  changeAtOnce(place: Place, change: (current: KubeObject) => JsonObject, done: () => void): void {
    const { kind, namespace: within, name } = place;
    void this.#carryOut(`edit ${kind} ${within}/${name} at once`, async (context) => {
      const written = await this.#update(context, place, change);
      done();
      return written;
    });
  }

  /** If `run` returns text, the story shows it. */
  do(what: string, run: (context: WriteContext) => Promise<unknown>, as?: WriteContext): void {
    this.#done = this.#carryOut(what, run, as, this.#done);
  }

  object({ kind, namespace: within, name }: Place): KubeObject | undefined {
    return this.#server.store.get(this.#server.kindOf(kind), storeKey(within, name));
  }

  async #update(
    context: WriteContext,
    { kind, namespace: within, name }: Place,
    change: (current: KubeObject) => JsonObject,
  ): Promise<string> {
    const { registry } = this.#server;
    const changed = (current: KubeObject): { readonly object: JsonObject } => ({ object: change(current) });
    return shown(await registry.update(context, this.#server.kindOf(kind), within, name, changed));
  }

  /** Rejects only for an error that is not a StatusError of the server. */
  async #carryOut(
    what: string,
    run: (context: WriteContext) => Promise<unknown>,
    as = this.#anyAuthor(),
    after: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    this.#busy += 1;
    await after;
    try {
      const outcome = await run(as);
      this.#told(`${what} by ${as.user}${typeof outcome === 'string' ? outcome : ''}`);
    } catch (error) {
      // The object does not exist, or exists already. Real users get the same answer.
      if (!(error instanceof StatusError)) throw error;
      this.#told(`${what} by ${as.user}: refused, ${error.message}`);
    } finally {
      this.#busy -= 1;
    }
  }

  #anyAuthor(manager = 'kubectl-edit'): WriteContext {
    const user = authors[this.#writes++ % authors.length] ?? authors[0];
    return writeBy(user, manager, 'update');
  }
}

/** The parts of an object that matter to the story. */
function shown(object: KubeObject): string {
  if (object.kind !== 'ConfigMap' && object.kind !== 'Secret') {
    const { env = [], envFrom = [] } = objectAt(arrayAt(podTemplateOf(object), 'spec', 'containers')[0]);
    const { volumes = [] } = objectAt(podTemplateOf(object), 'spec');
    const { annotations = {} } = object.metadata;
    return ` ${JSON.stringify({ annotations, env, envFrom, volumes })}`;
  }
  return ` ${JSON.stringify(Object.fromEntries(decodedData(object)))}`;
}
