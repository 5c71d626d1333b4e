import { firstStart, settled, synced } from '../cold-start';
import { Probe } from '../probe';
import type { ProcessUsage } from '../process-usage';
import type { Figure } from '../result';
import type { Stage } from '../stage';
import { median } from '../statistics';
import { accessTo, type Access, type RunningSubject, type Subject } from '../subject';

const mib = 1024 * 1024;

/** Starts a subject on a stage, again and again. */
export class Starter {
  readonly subject: Subject;
  readonly access: Access;
  readonly #probe: Probe;
  readonly #starts: number;
  readonly #tell: (what: string) => void;

  private constructor(subject: Subject, access: Access, probe: Probe, count: number, tell: (what: string) => void) {
    this.subject = subject;
    this.access = access;
    this.#probe = probe;
    this.#starts = count;
    this.#tell = tell;
  }

  static async on(stage: Stage, subject: Subject, count: number, tell: (what: string) => void): Promise<Starter> {
    return new Starter(subject, await accessTo(stage), await Probe.create(stage), count, tell);
  }

  of(subject: Subject): Starter {
    return new Starter(subject, this.access, this.#probe, this.#starts, this.#tell);
  }

  /** With those of the probe, so many workloads get a baseline. */
  async first(workloads: number): Promise<ProcessUsage> {
    this.#tell(`${this.subject.name}: the first start …`);
    return await firstStart(this.subject, this.access, this.#probe, workloads + 1);
  }

  /** Started and settled; whoever asks for it must end it. */
  async start(): Promise<{ readonly running: RunningSubject; readonly usage: ProcessUsage }> {
    const running = this.subject.start(this.access);
    try {
      await synced(this.subject, running, this.#probe);
      return { running, usage: await settled(running) };
    } catch (error) {
      await running.end();
      throw error;
    }
  }

  /** Bars in MiB. */
  async figures(where: string, settledBar: number, peakBar?: number): Promise<readonly Figure[]> {
    const usages: ProcessUsage[] = [];
    for (let run = 1; run <= this.#starts; run++) {
      this.#tell(`${this.subject.name}, ${where}: start ${run} of ${this.#starts} …`);
      const { running, usage } = await this.start();
      await running.end();
      usages.push(usage);
    }
    const peaks = usages.map(({ peakResidentBytes }) => peakResidentBytes / mib);
    const residents = usages.map(({ residentBytes }) => residentBytes / mib);
    const peakPromise = peakBar === undefined ? {} : { bar: { atMost: peakBar } };
    return [
      { name: `${where}: peak RSS`, value: median(peaks), unit: 'MiB', runs: peaks, ...peakPromise },
      {
        ...{ name: `${where}: settled RSS`, value: median(residents), unit: 'MiB', runs: residents },
        bar: { atMost: settledBar },
      },
    ];
  }
}
