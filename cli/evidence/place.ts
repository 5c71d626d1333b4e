import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { InstallHold } from '../../shared/domain/gates/gate';
import { objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeClient } from '../../shared/kube/client/client';
import {
  getMetadata,
  listObjects,
  type PartialObjectMetadata,
  type RequestLimits,
} from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import type { Install } from './install';
import { look, valueOf, type Seen } from './seen';
import { readInstallHold, whetherHeld } from './seen-hold';

const pageSize = 500;

/** What is around the workloads of a namespace and says whether and when they are restarted. */
export interface Place {
  /** The name of the namespace. */
  readonly name: string;
  /** Whether the install restarts anything in it, by its labels; undefined: they may not be read. */
  readonly isSelected: boolean | undefined;
  /** When restarts in it may begin; undefined: it does not say. */
  readonly gates: GateSettings | undefined;
  /** The hold of everything. */
  readonly installHold: InstallHold | undefined;
  /** Why not all of it is known. */
  readonly notKnown: readonly string[];
}

export async function readPlace(
  client: KubeClient,
  name: string,
  { install, rerollNamespace }: { readonly install: Install; readonly rerollNamespace: string },
  limits: RequestLimits,
): Promise<Place> {
  const { namespaceSelector, namespaces: watched } = install.settings.selection;
  // Where the install watches single namespaces, it does not read their annotations.
  const isSilent = namespaceSelector.isEverything && watched.length > 0;
  const [seen, hold] = await Promise.all([
    isSilent ? ({ is: 'absent' } as const) : readMetadata(client, name, limits),
    readInstallHold(client, rerollNamespace, limits),
  ]);
  const { settings: gates } = readGateSettings(watched.length > 0 ? {} : annotationsOf(valueOf(seen)), 'namespace');
  return {
    ...{ name, isSelected: selectionOf(seen, install), gates, installHold: valueOf(hold) },
    notKnown: [
      ...(seen.is === 'hidden' ? [`${seen.right}, so it is not known whether namespace ${name} defers restarts`] : []),
      ...(hold.is === 'hidden' ? [whetherHeld(hold)] : []),
    ],
  };
}

/** Whether the install restarts anything in each of some namespaces, by its labels; undefined if they may not be read. */
export async function readSelections(
  client: KubeClient,
  names: readonly string[],
  install: Install,
  limits: RequestLimits,
): Promise<(name: string) => boolean | undefined> {
  const { namespaceSelector } = install.settings.selection;
  const [first, ...others] = names;
  if (first === undefined || namespaceSelector.isEverything) return () => true;
  if (others.length === 0) {
    const isSelected = selectionOf(await readMetadata(client, first, limits), install);
    return () => isSelected;
  }
  // To ask for each by its name could be thousands of requests at once.
  const seen = await look(listObjects(client, namespaces, undefined, { ...limits, metadataOnly: true, pageSize }));
  if (seen.is !== 'there') return () => undefined;
  const isSelected = seen.value.filter(({ metadata }) => namespaceSelector.matches(metadata.labels ?? {}));
  const selected = new Set(isSelected.map(({ metadata }) => metadata.name));
  return (name) => selected.has(name);
}

async function readMetadata(
  client: KubeClient,
  name: string,
  limits: RequestLimits,
): Promise<Seen<PartialObjectMetadata>> {
  return await look(getMetadata(client, namespaces, undefined, name, limits));
}

function selectionOf(seen: Seen<PartialObjectMetadata>, { settings }: Install): boolean | undefined {
  const { namespaceSelector } = settings.selection;
  if (namespaceSelector.isEverything) return true;
  return seen.is === 'hidden' ? undefined : namespaceSelector.matches(objectOf(valueOf(seen)?.metadata.labels));
}
