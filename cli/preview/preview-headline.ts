import { enumerated, titleOf } from '../output/phrases';
import { idleBecause } from '../users/read-users';
import { askingUsers, laterPhrase } from '../users/users-text';
import type { Preview, PreviewedSource } from './preview';
import { changedKeys } from './source-change';

/** The answer in one line. */
export interface Headline {
  readonly text: string;
  /** The change cannot be made. */
  readonly isBad: boolean;
}

export function headlineOf(preview: Preview): Headline {
  const { sources, workloads } = preview;
  const good = (text: string): Headline => ({ text, isBad: false });
  const missing = sources.find(({ change }) => !change.before && !change.after);
  if (missing) return { text: `there is no ${sourceTitle(missing)}`, isBad: true };
  const [refused] = sources.flatMap((each) =>
    each.change.refusal === undefined ? [] : [`${sourceTitle(each)} ${each.change.refusal}`],
  );
  if (refused !== undefined) return { text: `would be refused: ${refused}`, isBad: true };
  const nothing = nothingBecause(preview);
  if (nothing !== undefined) return good(`would restart nothing: ${nothing}`);
  const changed = sources.filter(isChanged);
  const restarting = workloads.filter(({ outcome }) => outcome === 'restarts');
  const rolling = workloads.filter(({ outcome }) => outcome === 'rolls-out');
  const more = changed.reduce((sum, { account }) => sum + (account.moreUsers ?? 0), 0);
  const bound = more > 0 ? 'at least ' : changed.some(({ change }) => change.missingRight) ? 'up to ' : '';
  const named = restarting.length === 0 ? '' : `: ${enumerated(restarting.map(titleOf))}`;
  const anyway =
    rolling.length === 0
      ? ''
      : `; ${rolling.length === 1 ? '1 rolls' : `${rolling.length} roll`} out anyway: ${enumerated(rolling.map(titleOf))}`;
  const all = workloads.length + more;
  const count = `${bound}${restarting.length} of ${askingUsers(all, subjectOf(changed))}`;
  return good(`would restart ${count}${laterPhrase(restarting)}${named}${anyway}`);
}

function nothingBecause({ sources, workloads, install, silence, unresolved }: Preview): string | undefined {
  if (sources.length === 0) {
    const beside = unresolved.length === 0 ? '' : ' that can be compared';
    return `there is no ConfigMap or Secret${beside} among the manifests`;
  }
  const changed = sources.filter(isChanged);
  const [only] = changed;
  if (!only) return `${subjectOf(sources)} ${sources.length === 1 ? 'is' : 'are'} the same already`;
  const left = changed.map(leftOutBecause);
  if (left.every((reason) => reason !== undefined)) return left[0];
  const idle = idleBecause(install, { silence, account: only.account });
  if (idle !== undefined) return idle;
  return workloads.length === 0 ? `no workload that asks for restarts uses ${subjectOf(changed)}` : undefined;
}

function leftOutBecause({ account, leftOutBy }: PreviewedSource): string | undefined {
  const { kind, presence, namespaceSelected } = account;
  if (leftOutBy !== undefined) return `its labels do not match --resource-label-selector=${leftOutBy}`;
  if (presence === 'not-watched') return 'a flag of Reroll leaves out its kind or its namespace';
  if (presence === 'not-listed')
    return `Reroll is not allowed to list objects of kind ${kind}, or has not listed them yet, so the change may be missed`;
  return namespaceSelected ? undefined : 'the labels of its namespace do not match --namespace-selector';
}

/** Whether the change is one. */
function isChanged({ change }: PreviewedSource): boolean {
  return change.refusal === undefined && (!change.before || !change.after || changedKeys(change).length > 0);
}

/** @example 'ConfigMap shop/app' */
export function sourceTitle({ change: { source } }: PreviewedSource): string {
  return `${source.kind} ${source.namespace}/${source.name}`;
}

function subjectOf(sources: readonly PreviewedSource[]): string {
  return enumerated(sources.map(sourceTitle));
}
