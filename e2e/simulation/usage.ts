import { objectAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Keys, SourceName } from './contents';
import { crowdSources, sources } from './places';
import { usesOfTemplate } from './template-uses';
import { isPattern, wishesOf, type Wish } from './wishes';

/** How a workload uses a source that may restart it. */
export interface Use {
  readonly keys: Keys;
  /** Counts only while the source has the `match` annotation. */
  readonly ifMatched: boolean;
}

/**
 * The sources that may restart a workload, from the object and the settings of the install. This is the judge's own
 * reading of the annotations and references that simulated users write. It ignores the annotations of the sources.
 */
export function usageOf(object: KubeObject, autoReloadAll = false): ReadonlyMap<SourceName, Use> {
  const read = autoReloadAll ? readForAll : readForThoseThatAsk;
  const known = read.get(object);
  if (known) return known;
  const uses = readUses(object, autoReloadAll);
  read.set(object, uses);
  return uses;
}

/** Caches: objects in the history never change, and are read at every write of their life. */
const readForThoseThatAsk = new WeakMap<KubeObject, ReadonlyMap<SourceName, Use>>();
const readForAll = new WeakMap<KubeObject, ReadonlyMap<SourceName, Use>>();

function readUses(object: KubeObject, autoReloadAll: boolean): ReadonlyMap<SourceName, Use> {
  const { namespace = '' } = object.metadata;
  const referenced = referencesOf(object);
  const uses = new Map<SourceName, Use>();
  for (const wish of wishesOf(object, autoReloadAll)) {
    for (const [source, keys] of referenced) {
      const isOfKind = source.startsWith(`${wish.kind} `);
      if (isOfKind && (wish.isAuto || wish.searches)) uses.set(source, { keys, ifMatched: !wish.isAuto });
    }
    for (const name of namesOf(wish, namespace)) {
      const source = `${wish.kind} ${namespace}/${name}`;
      uses.set(source, { keys: referenced.get(source) ?? 'all', ifMatched: false });
    }
    for (const name of wish.excluded) uses.delete(`${wish.kind} ${namespace}/${name}`);
  }
  return uses;
}

/** The named sources, whether they exist or not. A pattern expands to all sources that may exist. */
function namesOf({ kind, named }: Wish, namespace: string): readonly string[] {
  return named.flatMap((entry) => {
    if (!isPattern(entry)) return [entry];
    const pattern = new RegExp(`^${entry}$`);
    return [...sources, ...crowdSources].flatMap((source) =>
      source.kind === kind && source.namespace === namespace && pattern.test(source.name) ? [source.name] : [],
    );
  });
}

/** Whether the workload asks for restarts at all. Engines ignore all others and remember nothing of them. */
export function asksForRestarts(object: KubeObject, autoReloadAll = false): boolean {
  return wishesOf(object, autoReloadAll).some(({ named, searches, isAuto }) => named.length > 0 || searches || isAuto);
}

export function podTemplateOf(object: KubeObject | undefined): JsonObject {
  const path = object?.kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
  return objectAt(object, ...path);
}

/** The pod template as comparable text. */
export function templateOf(object: KubeObject | undefined): string {
  if (object === undefined) return '{}';
  const known = templates.get(object);
  if (known !== undefined) return known;
  const template = JSON.stringify(podTemplateOf(object));
  templates.set(object, template);
  return template;
}

const templates = new WeakMap<KubeObject, string>();

function referencesOf(object: KubeObject): ReadonlyMap<SourceName, Keys> {
  return usesOfTemplate(podTemplateOf(object), object.metadata.namespace ?? '');
}
