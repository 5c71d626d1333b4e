import { cutToBytes } from '../../shared/domain/cut-to-bytes';
import { sourceKindNames } from '../../shared/domain/source';
import type { Alert } from './alert';

const maxNamedSources = 5;
const maxDetailBytes = 1_000;

/** Together with what is fixed below what Google Chat takes, which is the strictest: 4096 characters. */
export const maxAlertBytes = 3_000;

/**
 * What the receivers would take for formatting, a link or a mention: the name of a user, which is in the detail, must not
 * call a whole channel.
 */
const markup = /[<>&*`~|[\]\p{Cc}\p{Cf}]/gu;

/**
 * Reloader's sentence to the letter (§14.2), with more than one source in it where a restart answers several changes; on
 * a line of its own what Reloader cannot tell.
 */
export function alertText({ sources, workload, detail }: Alert): string {
  const { kind, namespace, name } = workload;
  const inNamespace = ` in namespace *${namespace}*`;
  const named = sources
    .slice(0, maxNamedSources)
    .map((source) => `*${source.name}* of type *${sourceKindNames[source.kind].token}*${inNamespace}`);
  const more = sources.length - named.length;
  const changes = named.join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  const sentence = `Reloader detected changes in ${changes}. Hence reloaded *${name}* of type *${kind}*${inNamespace}`;
  return cutToBytes(`${sentence}\n${cutToBytes(detail.replaceAll(markup, '?'), maxDetailBytes)}`, maxAlertBytes);
}

/** Several alerts in one message, and how many there were besides. */
export function messageText(alerts: readonly string[], more: number, additionalInfo: string | undefined): string {
  const surplus = more > 0 ? [`and ${String(more)} more; each is in the log and in an Event`] : [];
  const text = [...alerts, ...surplus].join('\n');
  return additionalInfo === undefined ? text : `${additionalInfo} : ${text}`;
}
