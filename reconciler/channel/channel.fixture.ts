import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sourceKey, type DigestedSource, type SourceRecord } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { at, contentOf, digester, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { ChannelMetrics, type HintResult } from '../metrics/channel-metrics';
import { Hints } from '../hints/hints';
import { ChangeRecordIntake } from '../hints/change-record-intake';

/** Alice set ConfigMap `shop/app` to `color: blue` with kubectl, at the moment a FakeClock starts. */
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

/** The nth of many sources, which are of so many namespaces that none exceeds its share. */
export function ofCrowd(n: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `crowd-${String(n % 10)}`, name: `app-${String(n)}` };
}

export function stored(color: string, options: Partial<DigestedSource> = {}): DigestedSource {
  return sourceRecord({ ...options, data: { color } });
}

/** Hints and intake between an API server and an index, which are both maps. */
export class ChannelHarness {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly metrics = new ChannelMetrics(new MetricRegistry());
  readonly apiServer = new Map<string, DigestedSource>();
  readonly index = new Map<string, SourceRecord>();
  /** Sources that the engine received. */
  readonly given: DigestedSource[] = [];
  /** Times are in milliseconds since the start. */
  readonly reads: { readonly source: string; readonly name: string; readonly atMs: number }[] = [];
  /** Digests of contents that sources held before, and not since. */
  readonly heldBefore = new Set<string>();
  unwanted = new Set<string>();
  /** Awaited after a read is answered, before its answer arrives. */
  delay: () => Promise<void> = async () => await Promise.resolve();
  onStored: (record: DigestedSource) => void = () => undefined;

  readonly hints = new Hints({
    clock: this.clock,
    logger: this.logger,
    metrics: this.metrics,
    sources: {
      known: (source) => this.index.get(sourceKey(source)),
      heldBefore: (_source, digest) => this.heldBefore.has(digest),
    },
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

  /** Stores a write that no watch has shown. */
  write(record: DigestedSource): void {
    this.apiServer.set(sourceKey(record), record);
  }

  /** Stores a write that the watch shows at once. */
  watch(record: DigestedSource): void {
    this.write(record);
    this.index.set(sourceKey(record), record);
    this.hints.observed(record);
  }

  /** Stores a write that a list shows, without its content. */
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
