import { expect, it, jest } from '@jest/globals';
import { appConfig } from '../../shared/domain/plan/records.fixture';
import fc from 'fast-check';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { DigestedSource } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { longForm } from '../../shared/runtime/long-form.fixture';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { SourceIndex } from '../sources/source-index';
import { changeRecord, stored } from './channel.fixture';
import { ChannelMetrics } from '../metrics/channel-metrics';
import { Hints } from '../hints/hints';

jest.setTimeout(60_000);

const colors = ['red', 'green', 'blue'] as const;
const key = objectKey('shop', 'app');

type WatchEvent =
  { readonly kind: 'upsert'; readonly record: DigestedSource } | { readonly kind: 'remove'; readonly uid: string };

/** One source on an API server, a watch that lags behind, slow reads, and true and forged hints. */
class World {
  readonly clock = new FakeClock();
  readonly index: SourceIndex = new SourceIndex(this.clock, {
    onChange: ({ after }) => {
      const version = Number(after?.resourceVersion ?? this.#shown);
      if (!this.#isRestored && version < this.#shown) throw new Error('the index was taken back');
      this.#shown = version;
      if (after) this.hints.observed(after);
    },
    onInconsistency: (source) => this.hints.check(source),
    onListed: (kind, namespace) => this.hints.listed(kind, namespace),
  });
  readonly hints: Hints = new Hints({
    clock: this.clock,
    logger: new RecordingLogger(),
    metrics: new ChannelMetrics(new MetricRegistry()),
    sources: {
      known: (source) => this.index.get(source),
      heldBefore: (source, digest) => this.index.heldBefore(source, digest),
    },
    readSource: async () => {
      const answer = this.stored;
      await new Promise<void>((resolve) => this.clock.timer(this.#readMs, resolve));
      return answer;
    },
    onStored: (record) => this.index.learn(record),
    onAbsent: (source) => this.index.learnAbsence(source),
  });
  stored: DigestedSource | undefined;
  readonly #sink = this.index.sink('ConfigMap', undefined, () => undefined);
  #version = 1;
  #readMs = 10;
  /** The newest version that the index has had. */
  #shown = 0;
  #isRestored = false;
  /** What the watch has yet to show, and what it has shown. */
  #events: WatchEvent[] = [];
  #watched: DigestedSource | undefined;

  readonly steps = {
    write: (value: number): void => {
      this.#version++;
      const uid = this.stored?.uid ?? `uid-${String(this.#version)}`;
      this.stored = stored(colors[value % colors.length]!, { uid, resourceVersion: String(this.#version) });
      this.#events.push({ kind: 'upsert', record: this.stored });
      if (value % 4 > 0) this.steps.hint(value);
    },
    delete: (): void => {
      if (!this.stored) return;
      this.#version++;
      this.#events.push({ kind: 'remove', uid: this.stored.uid });
      this.stored = undefined;
    },
    watch: (): void => {
      const event = this.#events.shift();
      if (!event) return;
      this.#watched = event.kind === 'upsert' ? event.record : undefined;
      if (event.kind === 'upsert') this.#sink.upsert(event.record, 'watch');
      else this.#sink.remove(key, event.uid);
    },
    /**
     * The watch was cut and starts with a list: the current one, or one from a cache that lags as far behind as the
     * watch did.
     */
    list: (value: number): void => {
      if (value % 2 === 0) [this.#events, this.#watched] = [[], this.stored];
      if (this.#watched) this.#sink.upsert(this.#watched, 'list');
      else if ([...this.#sink.keys()].includes(key)) this.#sink.remove(key, undefined);
      this.#sink.synced();
    },
    /** etcd is restored from an old backup: versions go back and the watch ends. */
    restore: (value: number): void => {
      if (!this.stored) return;
      this.#isRestored = true;
      this.#version = Math.max(1, this.#version - value);
      this.stored = stored(colors[value % colors.length]!, {
        uid: this.stored.uid,
        resourceVersion: String(this.#version),
      });
      this.steps.list(0);
    },
    hint: (value: number): void => {
      const { uid = 'uid-none' } = this.stored ?? {};
      this.hints.offer(changeRecord({ uid, color: colors[value % colors.length]!, observedAtMs: this.clock.nowMs() }));
    },
    slow: (value: number): void => void (this.#readMs = value * 20),
    wait: async (value: number): Promise<void> => await this.clock.advance(value * 10),
  };

  /** Finishes everything in progress. */
  async rest(): Promise<void> {
    while (this.#events.length > 0) this.steps.watch();
    await this.clock.advance(120_000);
  }
}

type StepName = keyof World['steps'];
type Steps = readonly (readonly [StepName, number])[];
const stepNames: readonly StepName[] = ['write', 'delete', 'watch', 'list', 'restore', 'hint', 'slow', 'wait'];

async function endsWithWhatIsStored(steps: Steps): Promise<void> {
  const world = new World();
  for (const [name, value] of steps) await world.steps[name](value);
  await world.rest();
  const known = world.index.get(appConfig);
  expect(known?.uid).toBe(world.stored?.uid);
  expect(known?.content).toEqual(world.stored?.content);
  expect(world.hints.pending).toBe(0);
  expect(world.hints.kept.reads).toBe(0);
  expect(world.clock.pendingTimers).toBe(0);
}

it('whatever watch, list and reads show, in whatever order, the index ends with what is stored, and nothing is pending', async () => {
  const step = fc.tuple(fc.constantFrom(...stepNames), fc.nat({ max: 60 }));
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), endsWithWhatIsStored), {
    numRuns: longForm(2_000, 80),
  });
}, 120_000);

it('a source that was deleted during its read, and that no watch ever showed, is not kept: a later list does not have it', async () => {
  await endsWithWhatIsStored([
    ['write', 21],
    ['wait', 25],
    ['wait', 5],
    ['delete', 0],
    ['list', 0],
  ]);
});
