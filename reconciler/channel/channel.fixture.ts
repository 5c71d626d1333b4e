import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sourceKey, type DigestedSource, type SourceRecord } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { at, contentOf, digester, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { ChannelMetrics, type HintResult } from '../metrics/channel-metrics';
import { Hints } from '../hints/hints';
import { ChangeRecordIntake } from '../hints/change-record-intake';

/** ConfigMap `shop/app` set to `color: blue` by alice with kubectl, at the moment a FakeClock starts. */
export function changeRecord({
  color = 'blue',
  ...options
}: Partial<ChangeRecord> & { readonly color?: string } = {}): ChangeRecord {
  const { kind = 'ConfigMap', namespace = 'shop', name = 'app' } = options;
  return {
    ...{ v: 1, id: 'review-1', kind, namespace, name },
    uid: `uid-${name}`,
    digest: contentOf({ color }, kind, name, namespace).whole(),
    keyId: digester.keyId,
    changed: { added: [], changed: ['color'], removed: [] },
    user: 'alice',
    manager: 'kubectl',
    observedAtMs: at(0),
    ...options,
  };
}

/** A stored source. */
export function stored(color: string, options: Partial<DigestedSource> = {}): DigestedSource {
  return sourceRecord({ ...options, data: { color } });
}

/** Hints and intake between an API server and an index, both of which are maps. */
export class ChannelHarness {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly metrics = new ChannelMetrics(new MetricRegistry());
  readonly apiServer = new Map<string, DigestedSource>();
  readonly index = new Map<string, SourceRecord>();
  /** What the engine received, and when it was read, in milliseconds since the start. */
  readonly given: DigestedSource[] = [];
  readonly reads: { readonly source: string; readonly name: string; readonly atMs: number }[] = [];
  unwanted = new Set<string>();
  /** Runs between a read's answer and its arrival. */
  delay: () => Promise<void> = async () => await Promise.resolve();
  onStored: (record: DigestedSource) => void = () => undefined;

  readonly hints = new Hints({
    clock: this.clock,
    logger: this.logger,
    metrics: this.metrics,
    sources: { known: (source) => this.index.get(sourceKey(source)) },
    readSource: async (read) => {
      const source = sourceKey(read);
      this.reads.push({ source, name: read.name, atMs: this.clock.monotonicMs() });
      const answer = this.apiServer.get(source);
      await this.delay();
      return answer;
    },
    onAbsent: (source) => void this.index.delete(sourceKey(source)),
    onStored: (record) => {
      this.given.push(record);
      this.index.set(sourceKey(record), record);
      this.onStored(record);
    },
  });
  readonly inbox = new ChangeRecordIntake({
    clock: this.clock,
    logger: this.logger,
    metrics: this.metrics,
    hints: this.hints,
    keys: digester,
    isWanted: ({ namespace, name }) => !this.unwanted.has(`${namespace}/${name}`),
  });

  /** A write that no watch has shown. */
  write(record: DigestedSource): void {
    this.apiServer.set(sourceKey(record), record);
  }

  /** The watch shows what is stored. */
  watch(record: DigestedSource): void {
    this.write(record);
    this.index.set(sourceKey(record), record);
    this.hints.observed(record);
  }

  /** A list shows what is stored, without its content. */
  list(record: DigestedSource): void {
    this.write(record);
    const listed = { ...record, content: 'metadata-only' as const };
    this.index.set(sourceKey(record), listed);
    this.hints.observed(listed);
  }

  /** Counted results, without those that are 0. */
  async results(): Promise<Partial<Record<HintResult, number>>> {
    const { values } = await this.metrics.hintsTotal.get();
    return Object.fromEntries(
      values.filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels.result), value]),
    );
  }

  get readTimesMs(): readonly number[] {
    return this.reads.map(({ atMs }) => atMs);
  }
}
