import type { LogLine } from '../../shared/runtime/log/recording-logger';
import { stringAt } from '../apiserver/json';
import type { HttpRequest } from '../../shared/kube/transport';
import type { ApiServer } from '../apiserver/api-server';
import type { WriteRecord } from '../apiserver/store';
import { sourceOfRecord, type Delivery } from './channel';
import { isEngine } from './engine-user';
import type { Marked } from './judge-marks';
import type { SimulatedProcess } from './process';
import type { ReconcilerProcess, Reconcilers } from './reconcilers';
import { templateOf, usageOf } from './usage';
import type { Webhooks } from './webhooks';

/** Situations that a batch of worlds with a webhook must reach. */
export const hybridSituations = [
  'a restart named an author whom the webhook told and the watch confirmed',
  'a restart named an author whom a read confirmed',
  'a workload was restarted by the webhook alone, with the watches of sources cut',
  'a restart came without a record, though there is a webhook',
  'a hint that was never stored was dropped',
  'a change was announced twice',
  'a webhook was asked twice about one change',
  'a forged record under another key was dropped',
  'a forged record of another time was dropped',
  'a record that does not parse was refused',
  'records were refused because there were too many',
  'a dry run was not told to the reconcilers',
  'a webhook was killed while it was asked',
  'a webhook was not heard in time, and the change was acted on',
  'a record was lost, and the change was acted on',
  'a record could not be sent, and was given up',
  'a leader was killed between a record and its restart, and its successor knew the author',
  'a watch that was behind showed an older version than a read',
  'a workload had its record in its creation',
  'a write that would have lost the record kept it',
  'a write that would have lost nothing but the marker left the pods alone',
  'a restart was folded into a write of somebody else',
] as const;
export type HybridSituation = (typeof hybridSituations)[number];

const hintResults = [
  ['phantom', 'a hint that was never stored was dropped'],
  ['duplicate', 'a change was announced twice'],
  ['foreign_key', 'a forged record under another key was dropped'],
  ['stale', 'a forged record of another time was dropped'],
  ['malformed', 'a record that does not parse was refused'],
  ['refused', 'records were refused because there were too many'],
] as const;

const ofMarks: Readonly<Record<Marked, HybridSituation>> = {
  born: 'a workload had its record in its creation',
  kept: 'a write that would have lost the record kept it',
  'template kept': 'a write that would have lost nothing but the marker left the pods alone',
  folded: 'a restart was folded into a write of somebody else',
};

/** Notes which of these situations a world reaches. */
export class HybridSituations {
  readonly #server: ApiServer;
  readonly #isDark: boolean;
  readonly #reached = new Set<HybridSituation>();
  /** Sources of writes for which the API server did not get the webhook's answer in time. */
  readonly #unheard = new Set<string>();
  /** By source: the processes that got a record of it. */
  readonly #informed = new Map<string, Set<SimulatedProcess>>();
  /** By process and object: the newest version that the process read by name. */
  readonly #read = new Map<string, number>();
  #holder: string | undefined;

  constructor(server: ApiServer, isDark: boolean) {
    this.#server = server;
    this.#isDark = isDark;
  }

  get reached(): ReadonlySet<HybridSituation> {
    return this.#reached;
  }

  killedInReview(): void {
    this.#reached.add('a webhook was killed while it was asked');
  }

  marked(marked: Marked): void {
    this.#reached.add(ofMarks[marked]);
  }

  unheard(source: string): void {
    this.#unheard.add(source);
  }

  delivered({ record, to }: Delivery): void {
    const source = sourceOfRecord(record);
    const informed = this.#informed.get(source) ?? new Set();
    this.#informed.set(source, informed.add(to));
  }

  /** Called for every write. A write by a process that has lost the Lease does not count as a leader's. */
  written(write: WriteRecord): void {
    const { kind, object, previous, user } = write;
    if (kind.kind === 'Lease') this.#holder = stringAt(object, 'spec', 'holderIdentity');
    if (!isEngine(user) || previous === undefined || templateOf(previous) === templateOf(object)) return;
    for (const source of usageOf(object).keys()) {
      if (this.#unheard.has(source)) this.#reached.add('a webhook was not heard in time, and the change was acted on');
    }
    const text = object.metadata.annotations?.['reroll.dev/last-restart'] ?? '';
    if (!text.includes('"by":')) return;
    for (const source of usageOf(object).keys()) {
      for (const { name, state } of this.#informed.get(source) ?? []) {
        if (state === 'dead' && name !== user) this.#survived(user);
      }
    }
  }

  #survived(user: string): void {
    if (this.#holder !== user) return;
    this.#reached.add('a leader was killed between a record and its restart, and its successor knew the author');
  }

  /** Called when a request has been carried out. Notes the reads of single sources. */
  carriedOut({ name }: SimulatedProcess, { method, path }: HttpRequest, status: number): void {
    const [, namespace, resource = '', object] =
      /^\/api\/v1\/namespaces\/([^/]+)\/(configmaps|secrets)\/([^/?]+)/.exec(path) ?? [];
    if (method !== 'GET' || status !== 200 || namespace === undefined || object === undefined) return;
    const kind = resource === 'secrets' ? 'Secret' : 'ConfigMap';
    const stored = this.#server.store.get(this.#server.kindOf(kind), `${namespace}/${object}`);
    this.#read.set(`${name} ${kind} ${namespace}/${object}`, Number(stored?.metadata.resourceVersion ?? 0));
  }

  /** Called when an event of a source watch leaves the server. The result must be called when the event arrives. */
  sent({ name }: SimulatedProcess, { path }: HttpRequest): (() => void) | undefined {
    const kind = path.includes('/secrets?') ? 'Secret' : path.includes('/configmaps?') ? 'ConfigMap' : undefined;
    const latest = this.#server.history().at(-1);
    if (!isEngine(name) || kind === undefined || latest?.kind.kind !== kind) return undefined;
    const { key, revision } = latest;
    return () => {
      if ((this.#read.get(`${name} ${kind} ${key}`) ?? 0) > revision) {
        this.#reached.add('a watch that was behind showed an older version than a read');
      }
    };
  }

  async ended(reconcilers: Reconcilers, webhooks: Webhooks): Promise<void> {
    let lost = 0;
    for (const { metrics } of webhooks.all) {
      lost += await metrics.sum('reroll_channel_dropped_records_total', { reason: 'unreachable' });
      if ((await metrics.sum('reroll_webhook_records_total', { result: 'duplicate' })) > 0) {
        this.#reached.add('a webhook was asked twice about one change');
      }
      if ((await metrics.sum('reroll_webhook_records_total', { result: 'dry_run' })) > 0) {
        this.#reached.add('a dry run was not told to the reconcilers');
      }
    }
    if (lost > 0) this.#reached.add('a record could not be sent, and was given up');
    for (const process of reconcilers.all) await this.#endedProcess(process, lost > 0);
  }

  async #endedProcess({ lines, metrics }: ReconcilerProcess, wasLost: boolean): Promise<void> {
    for (const [result, situation] of hintResults) {
      if ((await metrics.sum('reroll_hints_total', { result })) > 0) this.#reached.add(situation);
    }
    for (const line of lines) this.#restarted(line, wasLost);
  }

  #restarted({ fields }: LogLine, wasLost: boolean): void {
    const paths = (fields['paths'] ?? []) as readonly string[];
    const users = (fields['users'] ?? []) as readonly string[];
    if (paths.includes('both') && users.length > 0) {
      this.#reached.add('a restart named an author whom the webhook told and the watch confirmed');
    }
    if (paths.includes('webhook') && users.length > 0) {
      this.#reached.add('a restart named an author whom a read confirmed');
      if (this.#isDark) {
        this.#reached.add('a workload was restarted by the webhook alone, with the watches of sources cut');
      }
    }
    if (!paths.includes('watch')) return;
    this.#reached.add('a restart came without a record, though there is a webhook');
    if (wasLost) this.#reached.add('a record was lost, and the change was acted on');
  }
}
