import type { ApiServer } from '../apiserver/api-server';
import { arrayAt, objectAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy, type WriteContext } from '../apiserver/registry';
import { StatusError } from '../apiserver/status';
import { storeKey } from '../apiserver/store';
import { decodedData } from './contents';
import type { Place } from './places';
import { podTemplateOf } from './usage';

/** Whose edits are stored, unless something comes in between. */
const authors = ['alice', 'bob', 'carol'] as const;

/** How users get their edits to the server: in order, each on what the one before left, and each by one of them. */
export class Edits {
  readonly #server: ApiServer;
  readonly #told: (what: string) => void;
  #writes = 0;
  #done = Promise.resolve();
  #busy = 0;

  /** `told` is what stands in the story. */
  constructor(server: ApiServer, told: (what: string) => void) {
    this.#server = server;
    this.#told = told;
  }

  /** Everything that was begun has been answered. */
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

  /** `change` is given the object as it is when its turn has come. */
  change(place: Place, verb: string, change: (current: KubeObject) => JsonObject, as?: WriteContext): void {
    const { kind, namespace: within, name } = place;
    this.do(`${verb} ${kind} ${within}/${name}`, async (context) => await this.#update(context, place, change), as);
  }

  /** By a tool that writes the whole object, of which it knows nothing but what its own file says. */
  replace(place: Place, change: (current: KubeObject) => JsonObject): void {
    this.change(place, 'replace', change, this.#anyAuthor('kubectl-replace'));
  }

  /** Without a turn: with whatever else is written at this moment. */
  changeAtOnce(place: Place, change: (current: KubeObject) => JsonObject, done: () => void): void {
    const { kind, namespace: within, name } = place;
    void this.#carryOut(`edit ${kind} ${within}/${name} at once`, async (context) => {
      const written = await this.#update(context, place, change);
      done();
      return written;
    });
  }

  /** What `run` returns as text is told with it. */
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

  /** Never rejects. */
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
      // Nothing there to edit, or already there: that is what users are told too.
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

/** What of an object matters to the story. */
function shown(object: KubeObject): string {
  if (object.kind !== 'ConfigMap' && object.kind !== 'Secret') {
    const { env = [], envFrom = [] } = objectAt(arrayAt(podTemplateOf(object), 'spec', 'containers')[0]);
    const { volumes = [] } = objectAt(podTemplateOf(object), 'spec');
    const { annotations = {} } = object.metadata;
    return ` ${JSON.stringify({ annotations, env, envFrom, volumes })}`;
  }
  return ` ${JSON.stringify(Object.fromEntries(decodedData(object)))}`;
}
