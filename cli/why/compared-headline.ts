import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { filterOf, type SourceAccount } from '../evidence/account';
import type { SourceFacts } from '../evidence/seen-sources';
import { enumerated } from '../output/phrases';
import { ago, within } from '../output/times';
import { changed } from './changes';
import { deferralOfSource, whyDeferred } from './deferred';
import { bad, factsOf, headline, idOf, titleOf, type Headline, type TrackedCase } from './case';

/**
 * Why a source that counts calls for no restart. The leader compares content and says what it found; what made the
 * difference, the metadata of the objects may show.
 */
export function comparedHeadline(about: TrackedCase, source: SourceAccount): Headline | undefined {
  const facts = factsOf(about, source);
  const why = appearance(about, source, facts) ?? otherKeys(about, source, facts) ?? laterRollout(about, source, facts);
  if (why !== undefined) return headline(`does not restart for ${titleOf(source)}: ${why}`);
  return about.silence ? uncompared(about, source, facts) : unchanged(about, source, facts);
}

/** The clocks of Reroll and of the API server differ by less. */
const maxSkewMs = 5_000;

/** Whether a source was written after the last restart, or without one, after the workload was created. */
export function isUnanswered(about: TrackedCase, source: SourceAccount): boolean {
  const { account, facts } = about;
  const changedMs = writtenAtMs(factsOf(about, source));
  if (changedMs === undefined) return false;
  if (!account.lastRestart) return facts !== undefined && changedMs > facts.record.createdAtMs;
  const isItsCause = facts?.cause?.sources.has(idOf(source)) === true;
  return changedMs > Date.parse(account.lastRestart.at) + (isItsCause ? maxSkewMs : 0);
}

/** When the content of a source was last written; undefined if that is not known. */
export function writtenAtMs(facts: SourceFacts | undefined): number | undefined {
  return facts?.write?.timeMs ?? facts?.createdAtMs;
}

function lastWrite({ nowMs }: TrackedCase, facts: SourceFacts | undefined): string {
  return facts?.write ? ` (last written ${ago(nowMs - facts.write.timeMs)} by ${facts.write.manager})` : '';
}

/** It is not there, or it came, or it went, or nobody has seen anything of it. */
function appearance(about: TrackedCase, source: SourceAccount, facts: SourceFacts | undefined): string | undefined {
  const { namespace, nowMs, install } = about;
  if (source.standing === 'not-rotated' || /^it was (created|deleted)/.test(source.why)) return source.why;
  if (!source.exists && facts) {
    const { isEverything, text } = install.settings.selection.sourceSelector;
    if (isEverything && install.isKnown) return 'Reroll has not seen it yet';
    return `the labels of the ${source.kind} do not match --resource-label-selector${isEverything ? '' : `=${text}`}`;
  }
  if (!source.exists) {
    return `there is no ${titleOf(source)} in namespace ${namespace}, and sources of other namespaces do not count`;
  }
  const { createdAtMs, write } = facts ?? {};
  if (createdAtMs === undefined || install.reloadOnCreate || !isUnanswered(about, source)) return undefined;
  const isEdited = write !== undefined && write.timeMs > createdAtMs;
  if (isEdited || isRolledOutAfter(about, createdAtMs) || isReplaced(about, source, createdAtMs)) return undefined;
  return `it was created ${ago(nowMs - createdAtMs)}, and --reload-on-create is off`;
}

/** There was another source of this name before: Reroll had recorded a content by then, and compares with that. */
function isReplaced({ facts }: TrackedCase, source: SourceAccount, createdAtMs: number): boolean {
  const baseline = facts?.baseline;
  return baseline?.contents.has(idOf(source)) === true && (baseline.writtenAtMs ?? 0) < createdAtMs;
}

/**
 * Somebody wrote the pod template after the source, so the pods have read what the source holds. Times are whole
 * seconds, and a release writes both within one.
 */
function laterRollout(about: TrackedCase, source: SourceAccount, facts: SourceFacts | undefined): string | undefined {
  const changedMs = writtenAtMs(facts);
  const write = about.facts?.templateWrite;
  if (changedMs === undefined || !write || !isUnanswered(about, source)) return undefined;
  if (!isRolledOutAfter(about, changedMs)) return undefined;
  const when = ago(about.nowMs - write.timeMs);
  return `${write.manager} wrote the workload ${when}, after the change, and its pods started with it`;
}

/**
 * managedFields has one time for all that a program wrote, so a later edit of an annotation looks like one of the pod
 * template. So the pods must be younger than the change.
 */
function isRolledOutAfter({ facts, oldestPodMs }: TrackedCase, changedMs: number): boolean {
  const writtenMs = facts?.templateWrite?.timeMs;
  if (writtenMs === undefined || writtenMs < changedMs || oldestPodMs === undefined) return false;
  return oldestPodMs > changedMs && oldestPodMs >= writtenMs;
}

/** The last write set other keys than those that count. */
function otherKeys(about: TrackedCase, source: SourceAccount, facts: SourceFacts | undefined): string | undefined {
  const uses = whatCounts(source);
  if (uses === undefined || !isUnanswered(about, source)) return undefined;
  const written = facts?.write?.names ?? [];
  if (written.length === 0 || written.some((key) => mayCount(key, source))) return undefined;
  return `${uses}, and the change was to ${written.length === 1 ? 'key' : 'keys'} ${enumerated(written)}${lastWrite(about, facts)}`;
}

/** Which keys count; undefined: all. */
function whatCounts({ keys, moreKeys, counted }: SourceAccount): string | undefined {
  const phrases = [
    ...(typeof keys === 'string'
      ? []
      : [`the workload uses ${keys.length === 1 ? 'key' : 'keys'} ${enumerated(keys, moreKeys)}`]),
    ...(counted ? [`${gateAnnotations.keys}: ${counted.keys} on the ${counted.on} says what counts`] : []),
  ];
  return phrases.length === 0 ? undefined : phrases.join(', ');
}

function mayCount(key: string, { keys, moreKeys, counted }: SourceAccount): boolean {
  // The leader names some of many keys. Then the workload may use any other key, too.
  const mayBeUsed = typeof keys === 'string' || moreKeys !== undefined || keys.includes(key);
  return mayBeUsed && filterOf(counted)?.counts(key) !== false;
}

function unchanged(about: TrackedCase, source: SourceAccount, facts: SourceFacts | undefined): Headline | undefined {
  if (source.standing === 'not-recorded') {
    return headline(`does not restart for ${titleOf(source)} yet: Reroll has yet to record what its pods run with`);
  }
  if (source.standing === 'same-parsed') return headline(`does not restart for ${titleOf(source)}: ${source.why}`);
  const uses = isUnanswered(about, source) ? whatCounts(source) : undefined;
  const what =
    uses === undefined
      ? 'the content that the workload uses is what its pods run with'
      : `${uses}, and the change of the ${source.kind} was elsewhere`;
  return headline(`does not restart for ${titleOf(source)}: ${what}${lastWrite(about, facts)}`);
}

/** Without the leader: the Events may tell, or the time of the change, or nobody. */
function uncompared(about: TrackedCase, source: SourceAccount, facts: SourceFacts | undefined): Headline {
  const { events, nowMs, install } = about;
  const changedMs = writtenAtMs(facts) ?? 0;
  const title = titleOf(source);
  const failure = events.find(({ reason, atMs }) => reason === 'ReloadFail' && atMs >= changedMs);
  if (failure && isUnanswered(about, source)) return bad(`could not be restarted for ${title}: ${failure.message}`);
  const settleMs = about.facts?.record.settings.settleMs ?? install.settleMs;
  if (isUnanswered(about, source) && changedMs + settleMs > nowMs) {
    const soon = within(changedMs + settleMs - nowMs);
    return headline(
      `may restart ${soon} for ${title}: Reroll waits until its sources are quiet (--settle)${lastWrite(about, facts)}`,
    );
  }
  if (about.facts && !about.facts.baseline) {
    return headline(
      `does not restart for ${title} yet: Reroll has not recorded what its pods run with (there is no reroll.dev/baseline)`,
    );
  }
  const deferral = isUnanswered(about, source) ? deferralOfSource(about, source) : undefined;
  if (deferral) {
    return headline(`does not restart for ${title} yet: ${whyDeferred(deferral, nowMs)}${lastWrite(about, facts)}`);
  }
  const only = 'whether it differs from what the pods run with is known to the leader only';
  return headline(`counts ${namedKeys(source)}, and ${only}${lastWrite(about, facts)}`);
}

/** @example 'key color of ConfigMap app' */
function namedKeys(source: SourceAccount): string {
  const { keys, moreKeys } = source;
  return typeof keys === 'string' ? titleOf(source) : changed(titleOf(source), keys, moreKeys);
}
