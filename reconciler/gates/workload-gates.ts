import { askGates, type GatesAnswer } from '../../shared/domain/gates/ask-gates';
import type { RankedWorkload } from '../../shared/domain/gates/canary-order';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import { expectedTurns } from '../../shared/domain/gates/expected-turns';
import { gateLevels } from '../../shared/domain/gates/gate-levels';
import { holdGate } from '../../shared/domain/gates/hold-gate';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import { askingUsers } from '../../shared/domain/plan/asks-for';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { LocalSourceRef, SourceRef } from '../../shared/domain/sources/source';
import type { SourceIndex } from '../sources/source-index';
import type { HeldInstall } from './held-install';
import type { NamespaceGates } from './namespace-gates';

export interface WorkloadGatesOptions {
  readonly sources: Pick<SourceIndex, 'get'>;
  readonly namespaces: Pick<NamespaceGates, 'of'>;
  readonly heldInstall: Pick<HeldInstall, 'hold'>;
  /** The settings of the install, by its flags. */
  readonly install: GateSettings | undefined;
  readonly policy: PolicySettings;
  readonly stages: StageSettings;
}

/** Whether an owed restart may begin, from everything that says when. Nothing is kept: the objects are the state. */
export class WorkloadGates {
  readonly #options: WorkloadGatesOptions;

  constructor(options: WorkloadGatesOptions) {
    this.#options = options;
  }

  ask({ record }: Pick<TrackedWorkload, 'record'>, changes: readonly LocalSourceRef[], nowMs: number): GatesAnswer {
    const { sources, namespaces, install, heldInstall } = this.#options;
    const { namespace, gates, lastRestart } = record;
    const around = { workload: gates, namespace: { name: namespace, gates: namespaces.of(namespace) }, install };
    const questions = changes.map(({ kind, name }) => {
      const source = { kind, name, gates: sources.get({ kind, namespace, name })?.gates };
      const levels = gateLevels({ ...around, source });
      return { installHold: heldInstall.hold, levels, lastRestartMs: lastRestart?.atMs, nowMs };
    });
    return askGates(questions);
  }

  /** The hold of a source itself, whoever uses it; undefined: it is not held. */
  holdOf({ kind, namespace, name }: SourceRef, nowMs: number): ClosedGate | undefined {
    const { sources, namespaces, install, heldInstall } = this.#options;
    const source = { kind, name, gates: sources.get({ kind, namespace, name })?.gates };
    const levels = gateLevels({
      ...{ workload: undefined, source, install },
      namespace: { name: namespace, gates: namespaces.of(namespace) },
    });
    return holdGate({ installHold: heldInstall.hold, levels, lastRestartMs: undefined, nowMs });
  }

  /** For whom a workload that a change of a source would restart would wait, of those that it restarts too. */
  turns(
    source: SourceRef,
    users: readonly TrackedWorkload[],
    restarting: readonly TrackedWorkload[],
    nowMs: number,
  ): (workload: RankedWorkload) => ClosedGate | undefined {
    const { sources, namespaces, policy, stages } = this.#options;
    const record = sources.get(source);
    const stagesAround = record?.gates?.stages ?? namespaces.of(source.namespace)?.stages;
    const mayBegin = (workload: RankedWorkload): boolean => this.ask(workload, [source], nowMs).isOpen;
    const asking = askingUsers(users, record, policy);
    return expectedTurns({ source, users: asking, restarting, mayBegin, stagesAround, stages });
  }

  /** The same for sources that are not as they are now, but as somebody wants to write them. */
  withSources(sources: WorkloadGatesOptions['sources']): WorkloadGates {
    return new WorkloadGates({ ...this.#options, sources });
  }
}
