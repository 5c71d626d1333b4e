import { Draw } from '../simulation/draw';
import { liveBytes, maxRetainedBytes, processorMs } from './cost';
import { blockOf, Coverage } from './coverage';
import { describeThrown, isSameFinding, type Finding } from './finding';
import { freshInputs } from './fresh';
import { minimise } from './minimise';
import { mutate } from './mutate';
import { Pool } from './pool';
import type { ProgressWriter } from './progress';
import { seedsOf, usualMaxBytes, usualMaxMs, type Target } from './target';

export interface FuzzOptions {
  readonly counted: Target;
  /** Loads the target as it ships, in a state as if it had read nothing before. */
  readonly plain: () => Target;
  readonly seed: number;
  /** Stored inputs, in addition to the target's own seeds. */
  readonly corpus: readonly Uint8Array[];
  readonly words: readonly string[];
  /** Whichever is reached first. */
  readonly limits: { readonly ms: number; readonly executions: number; readonly findings: number };
  /** At the end, look for few and small inputs that reach what was reached. */
  readonly distil?: boolean;
  readonly progress: ProgressWriter;
  readonly onFinding: (finding: Finding) => void;
  /** Called now and then, and at the end. */
  readonly onReport: (report: FuzzReport) => void;
}

export interface FuzzReport {
  readonly coveredBlocks: number;
  readonly blocks: number;
  readonly corpus: number;
  /** Only in the last report, if `distil` is set. */
  readonly distilled?: readonly Uint8Array[];
}

/** Inputs between two checks of the heap, each of which costs a garbage collection. */
const maxBatch = { inputs: 2_000, bytes: 16 * 1024 * 1024 } as const;

/** Larger inputs are minimised before they are kept, because a kept input is mutated many times. */
const handyBytes = 512;

/**
 * Looks for inputs that break a target's promises, guided by the code they reach. The same seed repeats the same
 * search, except where it depends on timing.
 */
export async function fuzz(options: FuzzOptions): Promise<void> {
  await new Run(options).go();
}

class Run {
  readonly #options: FuzzOptions;
  readonly #target: Target;
  readonly #draw: Draw;
  readonly #coverage = new Coverage();
  readonly #pool = new Pool();
  readonly #dictionary: readonly string[];
  readonly #findings: Finding[] = [];
  readonly #untilMs: number;
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #liveBytes = 0;
  #suspiciousBytes = maxRetainedBytes;
  readonly #plain: Target;
  #seeds: readonly Buffer[] = [];

  constructor(options: FuzzOptions) {
    const { counted, seed, words, limits, plain } = options;
    this.#options = options;
    this.#target = counted;
    this.#draw = new Draw(seed);
    this.#dictionary = [...(counted.dictionary ?? []), ...words];
    this.#untilMs = performance.now() + limits.ms;
    this.#plain = plain();
  }

  async go(): Promise<void> {
    const { onReport, corpus, distil = false } = this.#options;
    this.#seeds = await seedsOf(this.#target);
    for (const input of [...this.#seeds, ...corpus]) await this.#try(Buffer.from(input));
    this.#liveBytes = liveBytes();
    for (let fresh: Buffer[] = []; !this.#isOver();) {
      if (fresh.length === 0) fresh = [...freshInputs(this.#draw, this.#dictionary)];
      await this.#try((this.#draw.chance(0.02) ? fresh.pop() : undefined) ?? this.#mutated());
      if (this.#batch.length < maxBatch.inputs && this.#batchBytes < maxBatch.bytes) continue;
      await this.#lookAtHeap();
      onReport(this.#report());
    }
    await this.#lookAtHeap();
    onReport({ ...this.#report(), ...(distil && { distilled: await this.#distilled() }) });
  }

  #isOver(): boolean {
    const { limits, progress } = this.#options;
    const isSpent = performance.now() >= this.#untilMs || progress.executions >= limits.executions;
    return isSpent || this.#findings.length >= limits.findings;
  }

  #mutated(): Buffer {
    const { maxBytes = usualMaxBytes, format } = this.#target;
    const other = (): Buffer => this.#pool.pick(this.#draw);
    return mutate(other(), format, { draw: this.#draw, dictionary: this.#dictionary, other, maxBytes });
  }

  /** Runs one input under all oracles, and keeps it if it reached something new. */
  async #try(input: Buffer): Promise<void> {
    const { maxMs = usualMaxMs } = this.#target;
    const startMs = performance.now();
    const problem = await this.#problemOf(input);
    const isSlow = performance.now() - startMs > maxMs;
    const features = this.#coverage.take();
    this.#batch.push(input);
    this.#batchBytes += input.length;
    if (problem) await this.#found({ ...problem, input });
    else if (isSlow) await this.#judgeTime(input, maxMs);
    if (!this.#pool.isNews(features)) return;
    // Slow inputs are kept as they are: minimising runs an input many times.
    const isUnwieldy = input.length > handyBytes && !isSlow && !problem;
    this.#pool.add(isUnwieldy ? await this.#minimised(input, features) : input, features);
  }

  async #problemOf(input: Buffer): Promise<Omit<Finding, 'input'> | undefined> {
    this.#options.progress.begin(input);
    try {
      await this.#target.run(input);
    } catch (thrown) {
      return { kind: 'throws', what: describeThrown(thrown) };
    }
    return pollution();
  }

  async #featuresOf(input: Buffer): Promise<readonly number[]> {
    this.#coverage.take();
    await this.#problemOf(input);
    return this.#coverage.take();
  }

  /** The smaller input still reaches every feature, not only the new ones: an old one may lead on to new code. */
  async #minimised(input: Buffer, features: readonly number[]): Promise<Buffer> {
    return await minimise(input, async (candidate) => await this.#reaches(candidate, features));
  }

  async #reaches(input: Buffer, features: readonly number[]): Promise<boolean> {
    const reached = new Set(await this.#featuresOf(input));
    return features.every((feature) => reached.has(feature));
  }

  async #judgeTime(input: Buffer, maxMs: number): Promise<void> {
    const ms = await processorMs(async () => {
      this.#options.progress.step(input);
      await this.#plain.run(input);
    }, maxMs);
    if (ms > maxMs) await this.#found({ kind: 'slow', what: `${Math.round(ms)} ms for ${input.length} bytes`, input });
  }

  /** Checks the growth of the heap. Whether the batch caused it is measured in a new copy of the target. */
  async #lookAtHeap(): Promise<void> {
    const batch = this.#batch;
    const grownBytes = liveBytes() - this.#liveBytes - this.#batchBytes;
    this.#batch = [];
    this.#batchBytes = 0;
    if (grownBytes > this.#suspiciousBytes) {
      const kept = await this.#keptBy(batch);
      if (kept) await this.#found(kept);
      // The growth came from the pool or from V8. Report only twice as much from now on.
      else this.#suspiciousBytes *= 2;
    }
    this.#liveBytes = liveBytes();
  }

  /**
   * Finds the input that keeps the most: halves the batch again and again, each time going on with the half that keeps
   * more. Undefined if the batch as a whole keeps no more than it may.
   */
  async #keptBy(batch: readonly Buffer[]): Promise<Finding | undefined> {
    const bytes = await this.#growth(batch);
    if (bytes <= maxRetainedBytes) return undefined;
    let [part, partBytes] = [batch, bytes];
    while (part.length > 1) {
      const halves = [part.slice(0, part.length >> 1), part.slice(part.length >> 1)] as const;
      const [first, second] = [await this.#growth(halves[0]), await this.#growth(halves[1])];
      [part, partBytes] = first > second ? [halves[0], first] : [halves[1], second];
    }
    const [all, one] = [bytes, partBytes].map((each) => `${Math.round(each / 1024)} KiB`);
    const what = `${all} stay after ${batch.length} inputs, ${one} of them after one`;
    return { kind: 'keeps', what, input: part[0] ?? Buffer.alloc(0) };
  }

  /** The bytes that a new copy of the target keeps after these inputs. */
  async #growth(inputs: readonly Buffer[]): Promise<number> {
    const target = this.#options.plain();
    const run = async (input: Buffer): Promise<void> => {
      this.#options.progress.step(input);
      await settled(target, input);
    };
    for (const seed of this.#seeds) await run(seed);
    const startBytes = liveBytes();
    for (const input of inputs) await run(input);
    return liveBytes() - startBytes;
  }

  async #found(finding: Finding): Promise<void> {
    if (this.#findings.some((known) => isSameFinding(known, finding))) return;
    this.#findings.push(finding);
    const isSame = async (input: Buffer): Promise<boolean> => {
      const problem = await this.#problemOf(input);
      return problem !== undefined && isSameFinding({ ...problem, input }, finding);
    };
    const input = finding.kind === 'throws' ? await minimise(finding.input, isSame) : finding.input;
    this.#options.onFinding({ ...finding, input });
  }

  async #distilled(): Promise<readonly Buffer[]> {
    const inputs: Buffer[] = [];
    for (const { input, blocks } of this.#pool.distilled()) {
      const isAsGood = async (candidate: Buffer): Promise<boolean> => {
        const reached = new Set((await this.#featuresOf(candidate)).map(blockOf));
        return blocks.every((block) => reached.has(block));
      };
      inputs.push(await minimise(input, isAsGood));
    }
    return inputs;
  }

  #report(): FuzzReport {
    return {
      coveredBlocks: this.#pool.coveredBlocks,
      blocks: this.#coverage.blocks,
      corpus: this.#pool.size,
    };
  }
}

async function settled(target: Target, input: Buffer): Promise<void> {
  try {
    await target.run(input);
  } catch {
    // `Run` has reported this error already.
  }
}

/**
 * Removes all properties that were added to shared prototypes: every object inherits them, so even the report would
 * fail.
 */
function pollution(): Omit<Finding, 'input'> | undefined {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  const given = prototypes.flatMap((prototype) => Object.keys(prototype).map((name) => [prototype, name] as const));
  for (const [prototype, name] of given) Reflect.deleteProperty(prototype, name);
  return given.length > 0 ? { kind: 'pollutes', what: 'a prototype that all objects share got a property' } : undefined;
}
