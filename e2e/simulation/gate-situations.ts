import type { LogLine } from '../../shared/runtime/log/recording-logger';
import { stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';
import { isEngine } from './engine-user';
import { gateKeys, gatesOf, holds, type GateAnnotations } from './gate-annotations';
import { isBegun } from './judge-gates';

/** Situations that the worlds of a batch must reach in which restarts may be held. */
export const gateSituations = [
  'a restart waited for the end of a hold of its workload',
  'a restart waited for the end of a hold of a source',
  'a restart waited for the end of a hold of a namespace',
  'a restart waited for the end of the hold of everything',
  'a restart waited for a window of its workload, a source or a namespace',
  'a restart waited for a window of the install',
  'a restart waited for the end of an interval',
  'a change was left to the next rollout',
  'an urgent change passed a window or an interval that was closed',
  'a workload was restarted in a namespace that is held',
  'a workload was restarted whose restart had been held before',
  'another process began to lead while everything was held',
] as const;
export type GateSituation = (typeof gateSituations)[number];

const toldInLogs: readonly (readonly [RegExp, GateSituation])[] = [
  [/ \(reroll\.dev\/hold on the workload/, 'a restart waited for the end of a hold of its workload'],
  [/ \(reroll\.dev\/hold on (?:ConfigMap|Secret)/, 'a restart waited for the end of a hold of a source'],
  [/ \(reroll\.dev\/hold on namespace/, 'a restart waited for the end of a hold of a namespace'],
  [/ \(ConfigMap reroll\/reroll-hold/, 'a restart waited for the end of the hold of everything'],
  [/ \(reroll\.dev\/windows on/, 'a restart waited for a window of its workload, a source or a namespace'],
  [/ \(--restart-windows/, 'a restart waited for a window of the install'],
  [/ \((?:reroll\.dev\/|--)min-interval/, 'a restart waited for the end of an interval'],
  [/ \(reroll\.dev\/restart on/, 'a change was left to the next rollout'],
];

/** Notes which of these situations a world reaches. */
export class GateSituations {
  readonly #reached = new Set<GateSituation>();
  readonly #namespaces = new Map<string, GateAnnotations>();
  /** Workloads that were held when an engine was told of a change. */
  readonly #held = new Set<string>();
  #everything: GateAnnotations | undefined;
  #holder: string | undefined;

  get reached(): ReadonlySet<GateSituation> {
    return this.#reached;
  }

  logged(lines: readonly LogLine[]): void {
    for (const { message } of lines) {
      if (!message.includes('not restarted yet: deferred')) continue;
      for (const [words, situation] of toldInLogs) if (words.test(message)) this.#reached.add(situation);
    }
  }

  written(write: WriteRecord): void {
    const { kind, key, type, object } = write;
    if (kind.kind === 'Namespace') this.#namespaces.set(object.metadata.name, gatesOf(object));
    if (kind.kind === 'ConfigMap' && key === `${ownNamespace}/reroll-hold`) {
      this.#everything = type === 'DELETED' ? undefined : gatesOf(object);
    }
    if (kind.kind === 'Lease') this.#leaseWritten(write);
    if (kind.kind === 'Event' && isEngine(write.user)) this.#told(write);
    if (isBegun(write)) this.#begun(write);
  }

  #leaseWritten({ object, atMs }: WriteRecord): void {
    const holder = stringAt(object, 'spec', 'holderIdentity') ?? '';
    const isOther = holder !== '' && this.#holder !== undefined && holder !== this.#holder;
    if (isOther && this.#everything && holds(this.#everything[gateKeys.hold] ?? 'true', atMs)) {
      this.#reached.add('another process began to lead while everything was held');
    }
    if (holder !== '') this.#holder = holder;
  }

  #told({ object }: WriteRecord): void {
    const message = stringAt(object, 'message') ?? stringAt(object, 'note') ?? '';
    if (message.includes('at once, because the change is urgent')) {
      this.#reached.add('an urgent change passed a window or an interval that was closed');
    }
    const uid = stringAt(object, 'involvedObject', 'uid') ?? stringAt(object, 'regarding', 'uid') ?? '';
    if (stringAt(object, 'reason') === 'ReloadDeferred' && message.includes('hold')) this.#held.add(uid);
  }

  #begun({ object, atMs }: WriteRecord): void {
    const { [gateKeys.hold]: hold } = this.#namespaces.get(object.metadata.namespace ?? '') ?? {};
    if (hold !== undefined && holds(hold, atMs)) {
      this.#reached.add('a workload was restarted in a namespace that is held');
    }
    if (this.#held.has(object.metadata.uid)) {
      this.#reached.add('a workload was restarted whose restart had been held before');
    }
  }
}
