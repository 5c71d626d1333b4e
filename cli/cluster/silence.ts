import { RerollError } from '../../shared/domain/errors';
import type { ForbiddenError } from '../../shared/kube/errors';

/** Why the leader gives no answer. */
export type Silence =
  | 'no-right'
  | 'no-lease'
  | 'nobody-leads'
  | 'not-a-pod'
  | 'unreachable'
  | 'no-interface'
  | 'not-ready'
  | 'no-workloads'
  | 'other-version'
  | 'endless';

/** The leader cannot be asked, or does not answer. The message is a sentence without a full stop. */
export class LeaderSilentError extends RerollError {
  readonly silence: Silence;

  constructor(silence: Silence, message: string) {
    super(message, { code: 'LEADER_SILENT' });
    this.silence = silence;
  }
}

/** A right of the person who asks. @example 'you may not get secrets in namespace shop' */
export function missingRight({ target, message }: ForbiddenError): string {
  // Newer API servers ask for a second verb, which only their message tells.
  const [, verb = target.verb] = / cannot (\w+) resource /.exec(message) ?? [];
  const what = target.group === '' ? target.resource : `${target.resource}.${target.group}`;
  return `you may not ${verb} ${what}${target.namespace === undefined ? '' : ` in namespace ${target.namespace}`}`;
}

/** Neither the leader nor the objects may be asked. */
export class NoAnswerError extends RerollError {
  /** Why the leader gave none, if it was asked. */
  readonly silence: Silence | undefined;

  constructor(message: string, silence?: Silence) {
    super(message, { code: 'NO_ANSWER' });
    this.silence = silence;
  }
}

/** There is no leader, and rights are missing to read the objects instead. */
export function noAnswer(
  { message, silence }: Pick<LeaderSilentError, 'message'> & Partial<LeaderSilentError>,
  missingRights: readonly string[],
): NoAnswerError {
  return new NoAnswerError(`${message}; and ${missingRights.join(', ')}, so there is nothing to answer from`, silence);
}
