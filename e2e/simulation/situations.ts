import type { LogLine } from '../../shared/runtime/log/recording-logger';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf } from './baseline-text';
import { crowdSituations } from './crowd-situations';
import { csiSituations } from './csi-situations';
import { isEngine } from './engine-user';
import { faultSituations } from './fault-situations';
import { featureSituations } from './feature-situations';
import { formSituations } from './form-situations';
import { gateSituations } from './gate-situations';
import { hybridSituations } from './hybrid-situations';
import { keySituations } from './key-situations';
import { paceSituations } from './pace-situations';
import { rollbackSituations } from './rollback-situations';
import { stageSituations } from './stage-situations';
import { settingsSituations } from './settings-situations';
import { upgradeSituations } from './upgrade-situations';
import { templateOf } from './usage';
import type { WeatherKind } from './weather';

/**
 * Situations that a batch of worlds must reach at least once each. Otherwise the batch proves less than it seems to: a
 * fault never struck, or a race never happened.
 */
export const situations = [
  'a write to a workload was stored and its answer lost',
  'a write to the Lease was stored and its answer lost',
  'a write to a workload never got an answer',
  'a write to a workload was refused with 403',
  'a write to a workload was refused with 404',
  'a write to a workload was refused with 409 though nothing had changed',
  'a write to a workload was throttled',
  'a write to a workload met an error of the server',
  'a write to a workload was denied by admission',
  'a write to a workload was invalid to admission',
  'a write to a workload was to be tried again a day later',
  'a request was refused with 401',
  'a list or watch was refused with 410',
  'an answer ended in its middle',
  'a watch was reset',
  'a watch fell silent',
  'a watch was told 410',
  'a watch ended in the middle of an event',
  'a watch brought what does not parse',
  'a watch brought its events twice',
  'a process was killed',
  'a process was frozen',
  'a process was asked to stop',
  'a process was cut off from the server',
  'a clock was off',
  'a clock was off by minutes',
  'another process took the Lease over',
  'a leader lost its Lease and knew it',
  'a process started where a former one had left baselines',
  'the history was compacted',
  'a workload was restarted',
  'a workload was restarted by a process that had not adopted it',
  'a workload was adopted',
  'a Job was created anew',
  'a CronJob was run',
  'a process found a Job between its deletion and its re-creation',
  'a baseline that was lost was put back',
  'a workload came back under its name as another',
  'a source came back under its name as another',
  'a workload changed between plan and write',
  'lists were paged, because the server does not stream them',
  'a restart was coalesced with a rollout of somebody else',
  'a forged entry of the journal was refused',
  'a source was read because a decision rested on it',
  'a source that had changed before it was read was read as it had been',
  'what a source had been before it was read was not remembered',
  'another term began a day later',
  ...hybridSituations,
  ...featureSituations,
  ...faultSituations,
  ...csiSituations,
  ...upgradeSituations,
  ...crowdSituations,
  ...settingsSituations,
  ...gateSituations,
  ...paceSituations,
  ...stageSituations,
  ...rollbackSituations,
  ...keySituations,
  ...formSituations,
] as const;
export type Situation = (typeof situations)[number];

const ofWorkloadWrites: Partial<Record<WeatherKind, Situation>> = {
  'lost-answer': 'a write to a workload was stored and its answer lost',
  hang: 'a write to a workload never got an answer',
  forbidden: 'a write to a workload was refused with 403',
  'not-found': 'a write to a workload was refused with 404',
  conflict: 'a write to a workload was refused with 409 though nothing had changed',
  throttled: 'a write to a workload was throttled',
  'server-error': 'a write to a workload met an error of the server',
  denied: 'a write to a workload was denied by admission',
  invalid: 'a write to a workload was invalid to admission',
  'throttled-for-a-day': 'a write to a workload was to be tried again a day later',
};

const ofAnything: Partial<Record<WeatherKind, Situation>> = {
  unauthorized: 'a request was refused with 401',
  gone: 'a list or watch was refused with 410',
  'answer-truncated': 'an answer ended in its middle',
  'stream-reset': 'a watch was reset',
  'stream-half-open': 'a watch fell silent',
  'stream-gone': 'a watch was told 410',
  'stream-truncated': 'a watch ended in the middle of an event',
  'stream-malformed': 'a watch brought what does not parse',
  'stream-duplicate': 'a watch brought its events twice',
};

const toldOfProcesses: readonly (readonly [string, Situation])[] = [
  ['is killed', 'a process was killed'],
  ['freezes', 'a process was frozen'],
  ['is asked to stop', 'a process was asked to stop'],
  ['is cut off', 'a process was cut off from the server'],
  ['its clock is', 'a clock was off'],
  ['compacts', 'the history was compacted'],
];

const toldInLogs: readonly (readonly [string, Situation])[] = [
  ['stopped leading', 'a leader lost its Lease and knew it'],
  ['the server does not stream lists', 'lists were paged, because the server does not stream them'],
  ['coalesced with the rollout', 'a restart was coalesced with a rollout of somebody else'],
  ['is labelled as a journal entry', 'a forged entry of the journal was refused'],
];

/** Notes which situations a world reaches. */
export class Situations {
  readonly #reached = new Set<Situation>();
  readonly #uids = new Map<string, string>();
  readonly #adoptedBy = new Map<string, string>();
  readonly #journaledBy = new Map<string, string>();
  #holder: unknown;

  get reached(): ReadonlySet<Situation> {
    return this.#reached;
  }

  struck(kind: WeatherKind, method: string, path: string): void {
    const ofWorkload = method === 'PATCH' ? ofWorkloadWrites[kind] : undefined;
    if (ofWorkload) this.#reached.add(ofWorkload);
    const anything = ofAnything[kind];
    if (anything) this.#reached.add(anything);
    if (kind === 'lost-answer' && method === 'PUT' && path.includes('/leases/')) {
      this.#reached.add('a write to the Lease was stored and its answer lost');
    }
  }

  told(what: string): void {
    if (/^its clock is -?\d{5,} ms off$/.test(what)) this.#reached.add('a clock was off by minutes');
    for (const [words, situation] of toldOfProcesses) if (what.startsWith(words)) this.#reached.add(situation);
  }

  logged(lines: readonly LogLine[]): void {
    for (const { message } of lines) {
      for (const [words, situation] of toldInLogs) if (message.includes(words)) this.#reached.add(situation);
    }
  }

  /** Called when the server itself has answered a request of an engine. */
  answered(path: string, status: number): void {
    const [place = '', query = ''] = path.split('?');
    if (!/\/(?:configmaps|secrets)$/.test(place) || !query.includes('fieldSelector=metadata.name%3D')) return;
    if (!query.includes('resourceVersionMatch=Exact')) {
      this.#reached.add('a source was read because a decision rested on it');
    } else if (status === 200) {
      this.#reached.add('a source that had changed before it was read was read as it had been');
    } else if (status === 410) {
      this.#reached.add('what a source had been before it was read was not remembered');
    }
  }

  /** Called when the server itself has answered a write to a workload with 409. */
  conflicted(): void {
    this.#reached.add('a workload changed between plan and write');
  }

  written(write: WriteRecord): void {
    const { kind, key, object, previous, user } = write;
    if (kind.kind === 'Lease') this.#leaseWritten(object['spec'] as { readonly holderIdentity?: string } | undefined);
    if (previous === undefined) this.#created(kind.kind, key, object.metadata.uid);
    if (isEngine(user)) this.#ran(write);
    if (!isEngine(user) || previous === undefined || kind.kind === 'Lease' || kind.kind === 'Event') return;
    const { uid } = object.metadata;
    const adoptedBy = this.#adoptedBy.get(uid);
    if (adoptedBy !== undefined && adoptedBy !== user) {
      this.#reached.add('a process started where a former one had left baselines');
    }
    if (templateOf(previous) !== templateOf(object)) {
      this.#reached.add('a workload was restarted');
      if (adoptedBy !== user) this.#reached.add('a workload was restarted by a process that had not adopted it');
    } else {
      this.#reached.add('a workload was adopted');
      const lost = baselineOf(previous) === undefined && adoptedBy !== undefined;
      if (lost) this.#reached.add('a baseline that was lost was put back');
    }
    this.#adoptedBy.set(uid, user);
  }

  #ran({ kind, object, previous, user, type }: WriteRecord): void {
    const isJournal = kind.kind === 'Secret' && object.metadata.name.startsWith('reroll-job-');
    if (isJournal && previous === undefined) this.#journaledBy.set(object.metadata.name, user);
    const journaledBy = this.#journaledBy.get(object.metadata.name);
    if (isJournal && type === 'DELETED' && journaledBy !== user) {
      this.#reached.add('a process found a Job between its deletion and its re-creation');
    }
    if (kind.kind !== 'Job' || previous !== undefined) return;
    const ofCronJob = object.metadata.ownerReferences !== undefined;
    this.#reached.add(ofCronJob ? 'a CronJob was run' : 'a Job was created anew');
  }

  #leaseWritten(spec: { readonly holderIdentity?: string } | undefined): void {
    const holder = spec?.holderIdentity ?? '';
    if (this.#holder !== undefined && holder !== '' && holder !== this.#holder) {
      this.#reached.add('another process took the Lease over');
    }
    if (holder !== '') this.#holder = holder;
  }

  #created(kind: string, key: string, uid: string): void {
    const id = `${kind} ${key}`;
    const former = this.#uids.get(id);
    this.#uids.set(id, uid);
    if (former === undefined || former === uid) return;
    if (kind === 'ConfigMap' || kind === 'Secret') this.#reached.add('a source came back under its name as another');
    if (kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet') {
      this.#reached.add('a workload came back under its name as another');
    }
  }
}
