import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { InstallHold } from '../../shared/domain/gates/gate';
import { objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeClient } from '../../shared/kube/client/client';
import { getMetadata, type PartialObjectMetadata, type RequestLimits } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import type { Install } from './install';
import { look, valueOf, type Seen } from './seen';
import { readInstallHold, whetherHeld } from './seen-hold';

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

/** Whether the install restarts anything in a namespace, by its labels; undefined if they may not be read. */
export async function readSelection(
  client: KubeClient,
  namespace: string,
  install: Install,
  limits: RequestLimits,
): Promise<boolean | undefined> {
  if (install.settings.selection.namespaceSelector.isEverything) return true;
  return selectionOf(await readMetadata(client, namespace, limits), install);
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
