import { HeldInstall } from '../gates/held-install';
import { NamespaceGates, type NamespaceGatesChange } from '../gates/namespace-gates';
import { WorkloadGates } from '../gates/workload-gates';
import type { SourceParts } from './build-sources';
import type { EngineBase } from './engine-deps';

/** What may keep a restart from beginning. */
export interface GateParts {
  readonly namespaces: NamespaceGates;
  readonly heldInstall: HeldInstall;
  readonly workloads: WorkloadGates;
}

export interface GateEvents {
  /** The hold of the install is another one. */
  readonly onInstallChange: () => void;
  readonly onNamespaceChange: (change: NamespaceGatesChange) => void;
}

export function buildGates(
  { settings: { gates: install, ownNamespace } }: EngineBase,
  { index: sources }: SourceParts,
  { onInstallChange, onNamespaceChange }: GateEvents,
): GateParts {
  const namespaces = new NamespaceGates(onNamespaceChange);
  const heldInstall = new HeldInstall(ownNamespace, onInstallChange);
  return { namespaces, heldInstall, workloads: new WorkloadGates({ sources, namespaces, heldInstall, install }) };
}
