import { assertNever } from '../../shared/domain/errors';
import type { LeaderSilentError, Silence } from '../cluster/silence';

/** What to do if the leader is silent; undefined: the message says it. A sentence without a full stop. */
export function fixFor({ silence }: Pick<LeaderSilentError, 'silence'>, rerollNamespace: string): string | undefined {
  return fixes(silence, rerollNamespace);
}

function fixes(silence: Silence, namespace: string): string | undefined {
  switch (silence) {
    case 'no-right':
      return `ask an administrator for the Role "ask-reroll" in namespace ${namespace}, which docs/command-line.md has`;
    case 'nobody-leads':
      return `look at the pods of Reroll: kubectl -n ${namespace} get pods`;
    case 'not-a-pod':
      return 'name the namespace in which Reroll runs with --reroll-namespace';
    case 'unreachable':
      return 'this page keeps asking; if it stays so, look at the pod of the leader';
    case 'not-ready':
      return 'this page keeps asking; a leader that has just started needs a moment';
    case 'no-lease':
    case 'no-interface':
    case 'no-workloads':
    case 'other-version':
    case 'endless':
      return undefined;
    default:
      return assertNever(silence, 'silence');
  }
}

/** Who tells an answer, for people. */
export function answeredByText(leader: string | undefined, silence: LeaderSilentError | undefined): string {
  if (silence) return `${silence.message}; this is from what you may read yourself`;
  return leader === undefined ? 'as the leader says' : `as the leader ${leader} says`;
}
