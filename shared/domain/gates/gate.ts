import type { GateSettings } from '../gate-settings/gate-settings';
import type { GateName } from '../gate-settings/gate-names';
import type { Hold } from '../gate-settings/hold';

/** The settings of one object, or of the install. */
export interface GateLevel {
  /** For people: `the workload`, `ConfigMap app`, `namespace shop`; undefined: the flags of the install. */
  readonly bearer: string | undefined;
  readonly settings: GateSettings | undefined;
}

/** The hold of the whole install, which nothing overrides. */
export interface InstallHold extends Hold {
  /** For people: `ConfigMap reroll/reroll-hold`. */
  readonly bearer: string;
}

/** May a restart for one change begin now? */
export interface GateQuestion {
  readonly installHold: InstallHold | undefined;
  /** The nearest first. */
  readonly levels: readonly GateLevel[];
  /** When the workload was last restarted, as it says itself. */
  readonly lastRestartMs: number | undefined;
  /** By the wall clock. */
  readonly nowMs: number;
}

/** A gate that is closed. */
export interface ClosedGate {
  readonly gate: GateName;
  /** When it opens, by the wall clock, and later than it was asked about; undefined: when somebody opens it. */
  readonly untilMs: number | undefined;
  /** What closes it, for people: `reroll.dev/hold on ConfigMap app: release freeze`. */
  readonly detail: string;
}

/** Undefined: it is open. */
export type Gate = (question: GateQuestion) => ClosedGate | undefined;
