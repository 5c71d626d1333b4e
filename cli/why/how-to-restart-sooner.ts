import { assertNever } from '../../shared/domain/errors';
import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { gateNames } from '../../shared/domain/gate-settings/gate-names';
import type { Deferral } from '../../shared/domain/protocol/deferral';
import type { SourceAccount } from '../evidence/account';
import { endOfHold, type HeldChange } from '../evidence/end-of-hold';
import { enumerated } from '../output/phrases';
import { factsOf, titleOf, type Case } from './case';
import { isUnanswered } from './compared-headline';
import { deferralOfSource } from './deferred';
import { gateBearer } from './gate-bearer';
import { whyNotCounted } from './source-headline';

/** For each change whose restart is deferred, which annotation or command would let it begin. */
export function howToRestartSooner(about: Case): readonly string[] {
  const { account, silence } = about;
  const turn = account.tracked && !silence ? howToGoFirst(about, account.waitsFor) : undefined;
  if (turn !== undefined) return [turn];
  return deferredSources(about).flatMap((source) => {
    const deferral = deferralOfSource(about, source);
    const how = deferral && howToOpen(about, source, deferral);
    return how === undefined ? [] : [`${titleOf(source)}: ${how}`];
  });
}

/** Those with a change that no restart has answered: by the leader, or else by their times. */
function deferredSources(about: Case): readonly SourceAccount[] {
  const { account, silence } = about;
  if (!account.tracked) return [];
  if (!silence) {
    const isDeferred = gateNames.some((gate) => gate === account.waitsFor);
    return isDeferred ? account.sources.filter(({ restarts }) => restarts) : [];
  }
  const tracked = { ...about, account };
  return account.sources.filter(
    (source) => whyNotCounted(tracked, source) === undefined && isUnanswered(tracked, source),
  );
}

/** What it waits for shows on no source; undefined: it does not wait for its turn. */
function howToGoFirst(about: Case, waitsFor: string | undefined): string | undefined {
  switch (waitsFor) {
    case 'order':
      return `see to the one that comes first, or remove ${gateAnnotations.after} or ${gateAnnotations.wave} from the workload`;
    case 'pace':
      return `raise that limit, or annotate a source of it with ${gateAnnotations.urgent}: "true", so that it is next`;
    case 'stages':
      return `see to the one that is named, change the source again, or let the others restart without it: ${enumerated(resumeCommands(about))}`;
    default:
      return undefined;
  }
}

/** One for each source that may be the one that has stopped. */
function resumeCommands(about: Case): readonly string[] {
  return deferredSources(about).map(
    ({ kind, name }) => `reroll resume ${kind.toLowerCase()}/${name} -n ${about.place.name}`,
  );
}

function howToOpen(about: Case, source: SourceAccount, { gate }: Deferral): string | undefined {
  const orUrgent = `, or ${titleOf(source)} with ${gateAnnotations.urgent}: "true"`;
  switch (gate) {
    case 'hold':
      return endOfHold(heldChange(about, source));
    case 'window':
      return `annotate ${bearerTitle(about, 'windows')} with ${gateAnnotations.windows}: always${orUrgent}`;
    case 'interval':
      return `annotate ${bearerTitle(about, 'minIntervalMs')} with ${gateAnnotations.minInterval}: "0"${orUrgent}`;
    case 'next-rollout':
      return `annotate ${bearerTitle(about, 'mode')} with ${gateAnnotations.restart}: now`;
    case 'order':
    case 'stages':
    case 'pace':
      // No object alone tells that.
      return undefined;
    default:
      return assertNever(gate, 'gate');
  }
}

/** @example 'the workload' or 'Rollout canary' */
function bearerTitle(about: Case, setting: keyof GateSettings): string {
  const bearer = gateBearer(about, setting);
  return bearer.kind === about.kind ? 'the workload' : `${bearer.kind} ${bearer.name}`;
}

function heldChange(about: Case, source: SourceAccount): HeldChange {
  const { facts, place, nowMs } = about;
  const { gates } = factsOf(about, source) ?? {};
  return {
    workload: { ...gateBearer(about, 'hold'), gates: facts?.record.gates },
    source: { kind: source.kind, name: source.name, gates },
    place,
    nowMs,
  };
}
