import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything } from '../../shared/domain/kubernetes/selector';
import {
  digester,
  policySettings,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { SourceRecord } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { KeyQueue, type QueueResult } from '../queue/key-queue';
import { WorkloadGates } from '../gates/workload-gates';
import { DigestKeyring } from '../sources/digest-keyring';
import { SourceIndex } from '../sources/source-index';
import { ReceivedRecords } from '../hints/received-records';
import { SettleWindows } from '../worker/settle-window';
import { UnfinishedLooks } from '../worker/unfinished-looks';
import { WorkloadIndex } from '../workloads/workload-index';
import type { InspectionView } from './inspection-view';

const nothing = (): undefined => undefined;

/** Indexes, a queue and settle windows that a test fills, and the view of them that answers are made from. */
export class InspectionWorld {
  readonly clock = new FakeClock();
  readonly settle = new SettleWindows(this.clock);
  readonly unfinished = new UnfinishedLooks(this.clock);
  readonly received = new ReceivedRecords(this.clock);
  /** What becomes of a key that is due. */
  result: Promise<QueueResult> = Promise.resolve({ kind: 'done' });
  readonly queue = new KeyQueue({
    ...{ clock: this.clock, random: zeroRandom, concurrency: 15, backoff: { baseMs: 100, maxMs: 60_000 } },
    process: async () => await this.result,
  });
  readonly view: InspectionView;
  readonly #workloads: WorkloadIndex;
  readonly #sources: SourceIndex;

  constructor(settings: Partial<InspectionView['settings']> = {}, parts: Partial<InspectionView> = {}) {
    const keys = new DigestKeyring(digester, true);
    const { clock } = this;
    this.#workloads = new WorkloadIndex({
      ...{ clock, keys, policy: policySettings, annotationKeys: defaultAnnotationKeys },
      ...{ selectedSinceMs: () => 0, leadingSinceMs: nothing },
      ...{ onChange: nothing, onUntracked: nothing, onGone: nothing },
    });
    this.#sources = new SourceIndex(clock, { onChange: nothing, onInconsistency: nothing, onListed: nothing });
    this.view = {
      ...{ clock, keys, workloads: this.#workloads, sources: this.#sources },
      ...{ queue: this.queue, settle: this.settle, unfinished: this.unfinished },
      annotationKeys: defaultAnnotationKeys,
      versions: { known: () => true },
      scope: { isKnown: true, isSelected: () => true },
      history: { read: () => ({ keptSince: undefined, entries: [] }), find: nothing, unhealthySinceMs: nothing },
      journal: { isRecreating: () => false },
      gates: new WorkloadGates({
        ...{
          sources: this.#sources,
          namespaces: { of: nothing },
          heldInstall: { hold: undefined },
          install: undefined,
          policy: policySettings,
          stages: withoutStages,
        },
      }),
      turns: { told: nothing, stagesOf: nothing },
      heldInstall: { hold: undefined },
      permissions: { reported: [] },
      received: this.received,
      settings: {
        ...{ policy: policySettings, reloadOnCreate: false, reloadOnDelete: false, sourceSelector: everything },
        ...{ namespaces: [], namespacesToIgnore: [], settleMs: 1_000, settleMaxMs: 10_000 },
        ...{ dryRun: false, csi: false, ignoredSourceKind: undefined, ...settings },
      },
      ...{ csi: undefined, watchStatuses: () => [] },
      isSettled: () => true,
      knownKinds: () => new Set(['ConfigMap', 'Secret']),
      isNamed: () => false,
      term: () => ({ inChargeSinceMs: 0, watchingSinceMs: 0 }),
      ...parts,
    };
  }

  /** A workload that may ask for nothing. */
  show(record: WorkloadRecord): void {
    this.#workloads.sink(record.kind, undefined, nothing).upsert(record, 'list');
  }

  see(options: WorkloadOptions = {}): TrackedWorkload {
    const record = workloadRecord(options);
    const { kind, namespace, name } = record;
    this.show(record);
    const workload = this.#workloads.get(workloadKey(kind, namespace, name));
    if (!workload) throw new Error('the workload is not tracked');
    return workload;
  }

  forget({ key }: TrackedWorkload): void {
    this.#workloads.remove(key);
  }

  seeSource(record: SourceRecord): void {
    this.#sources.sink(record.kind, undefined, nothing).upsert(record, 'list');
  }
}
