import type { WriteRecord } from '../apiserver/store';
import { Contents, Digests } from './contents';
import { checkCalm } from './judge-calm';
import { checkEngineWrites, checkRestartCount } from './judge-engine-writes';
import { checkLeaks } from './judge-leaks';
import { checkLeases } from './judge-lease';
import { checkMissed } from './judge-missed';
import { livesOf, type Life } from './lives';
import { engineUserPrefix } from './replicas';

/** A promise of the design that was broken, by its letter, in one sentence. */
export interface Violation {
  readonly promise:
    | 'missed change'
    | 'restart without reason'
    | 'more restarts than changes'
    | 'baseline apart from template'
    | 'foreign write'
    | 'leak'
    | 'two writers'
    | 'unbounded'
    | 'not exactly once';
  readonly sentence: string;
}

/** The history, read once, and what the checks share. */
export interface Case {
  readonly history: readonly WriteRecord[];
  readonly contents: Contents;
  /** Undefined where no engine came so far as to make its key. */
  readonly digests: Digests | undefined;
  readonly lives: readonly Life[];
}

/** Reads nothing but what the API server stored. */
export function openCase(history: readonly WriteRecord[]): Case {
  const keySecret = history.find(({ kind, key }) => kind.kind === 'Secret' && key === 'reroll/reroll-digest-key');
  const data = keySecret?.object['data'] as Readonly<Record<string, string>> | undefined;
  const digests = data?.['key'] === undefined ? undefined : new Digests(Buffer.from(data['key'], 'base64'));
  return { history, contents: new Contents(history), digests, lives: livesOf(history) };
}

/** `calm`: nothing but edits of sources far apart; then the number of restarts is known exactly. */
export function judge(history: readonly WriteRecord[], calm: boolean): readonly Violation[] {
  const opened = openCase(history);
  return [
    ...checkMissed(opened),
    ...opened.lives.flatMap((life) => [...checkEngineWrites(opened, life), ...checkRestartCount(opened, life)]),
    ...checkLeaks(history),
    ...checkLeases(history),
    ...(calm ? checkCalm(opened) : []),
  ];
}

export function isEngine(user: string): boolean {
  return user.startsWith(engineUserPrefix);
}
