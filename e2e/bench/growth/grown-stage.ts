import { setImmediate as nextTurn } from 'node:timers/promises';
import { configMap, deployment, fromConfigMap, secret, seed } from '../../apiserver/cluster';
import { objectAt } from '../../apiserver/json';
import { writeBy } from '../../apiserver/registry';
import { openSimulatedStage, type SimulatedStage } from '../stage';

const namespaceCount = 10;

/** As many at each size, or what an edit costs would tell how often the source had been edited before. */
export const editedSources = 900;

/** A simulated cluster of small ConfigMaps and Secrets, in turn, of which the first so many are used by a Deployment each. */
export class GrownStage {
  readonly stage: SimulatedStage;
  readonly objects: number;
  readonly workloads: number;
  #edits = 0;

  static async open(objects: number, workloads: number): Promise<GrownStage> {
    const stage = await openSimulatedStage();
    for (let index = 0; index < objects; index++) {
      // The server lives in this process: what a connection brings, its end too, must be seen in time.
      if (index % 500 === 0) await nextTurn();
      const { kind, ...where } = sourceAt(index);
      seed(stage.server, (kind === 'Secret' ? secret : configMap)({ ...where, data: dataOf(0) }));
    }
    for (let index = 0; index < workloads; index++) {
      // ConfigMaps stand at even numbers.
      const { namespace, name } = sourceAt(index * 2);
      const annotations = { 'reloader.stakater.com/auto': 'true' };
      const envFrom = [fromConfigMap(name)];
      seed(stage.server, deployment({ name: `app-${index}`, namespace, replicas: 0, annotations, envFrom }));
    }
    return new GrownStage(stage, objects, workloads);
  }

  private constructor(stage: SimulatedStage, objects: number, workloads: number) {
    this.stage = stage;
    this.objects = objects;
    this.workloads = workloads;
  }

  /** Bytes of `namespace/name`, on average. */
  get nameBytes(): number {
    const { namespace, name } = sourceAt(0);
    return `${namespace}/${name}`.length;
  }

  /** Gives one of the sources that nobody uses another value. */
  async edit(): Promise<void> {
    const { server } = this.stage;
    const edit = this.#edits++;
    const used = this.workloads * 2;
    const { kind, namespace, name } = sourceAt(used + (edit % editedSources));
    const resource = server.kindOf(kind);
    await server.registry.update(writeBy('admin', 'kubectl', 'patch'), resource, namespace, name, (current) => ({
      object: { ...current, data: { ...objectAt(current, 'data'), 'key-0': encoded(edit + 1, 0) } },
    }));
  }
}

function sourceAt(index: number): {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
} {
  return {
    kind: index % 2 === 0 ? 'ConfigMap' : 'Secret',
    namespace: `team-${Math.floor(index / 2) % namespaceCount}`,
    name: `source-${String(index).padStart(6, '0')}`,
  };
}

function dataOf(edit: number): Readonly<Record<string, string>> {
  return Object.fromEntries([0, 1, 2, 3].map((key) => [`key-${key}`, encoded(edit, key)]));
}

/** Base64, so that it may stand in either kind. */
function encoded(edit: number, key: number): string {
  return Buffer.from(`value ${key} after ${edit} edits`).toString('base64');
}
