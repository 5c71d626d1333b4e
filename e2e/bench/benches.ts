import { measureAdmission } from './admission/measure';
import { measureBundle } from './bundle';
import { measureBurst } from './burst';
import { measureFanout } from './fanout';
import { measureGates } from './gates/measure';
import { measureGrowth } from './growth/measure';
import { measureIdle } from './idle';
import { measureLatency } from './latency';
import { measureMemory } from './memory/measure';
import type { Measured } from './result';
import { measureSoak } from './soak/soak';
import { measureStartup } from './startup/measure';
import type { Stage } from './stage';
import { measureStatus } from './status/measure';
import type { Subject } from './subject';

/** The input of a bench. */
export interface Setting {
  /** Prints progress. */
  readonly tell: (what: string) => void;
  /** Opens a control plane for this bench alone; the bench must stop it. */
  readonly openStage: () => Promise<Stage>;
  readonly subject: Subject;
  /** How long the soak takes. */
  readonly minutes: number;
}

export interface Bench {
  readonly summary: string;
  readonly measure: (setting: Setting) => Promise<Measured>;
}

/** All benches, by name. */
export const benches: Readonly<Record<string, Bench>> = {
  admission: {
    summary: 'how fast, and with how much memory, `reroll webhook` answers reviews of 16 KB Secrets',
    measure: measureAdmission,
  },
  memory: {
    summary: 'resident memory in an empty, a small and a large cluster, from cold starts and while much changes',
    measure: measureMemory,
  },
  startup: {
    summary:
      'how long it takes to know a large cluster, beside curl reading the same, and whether ready means able to act',
    measure: measureStartup,
  },
  idle: {
    summary: 'what it costs the machine and the API server of a large cluster where nothing happens; takes 10 minutes',
    measure: measureIdle,
  },
  growth: {
    summary: 'memory for one more object, and time for an event, up to 100,000 objects of a simulated cluster',
    measure: measureGrowth,
  },
  bundle: {
    summary: 'size of the bundle, and what it takes to start it',
    measure: measureBundle,
  },
  latency: {
    summary: 'from a stored change to the new template, beside the least that Node needs',
    measure: measureLatency,
  },
  fanout: {
    summary: 'one ConfigMap that 1,000 Deployments use is changed, and another source meanwhile',
    measure: measureFanout,
  },
  gates: {
    summary: '10,000 restarts that are owed and held, then released, and then at a rate and in an order',
    measure: measureGates,
  },
  burst: {
    summary: 'a thousand edits in a second, and one restart for each workload',
    measure: measureBurst,
  },
  status: {
    summary: 'what it costs the leader if the state of 10,000 workloads is asked for ten times a second',
    measure: measureStatus,
  },
  soak: {
    summary: 'edits, broken connections and changes of the leader for 20 minutes, and nothing grows',
    measure: measureSoak,
  },
};
