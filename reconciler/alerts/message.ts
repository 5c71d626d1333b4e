import { printable } from '../../shared/domain/text/printable';
import { sourceKindNames } from '../../shared/domain/sources/source';
import type { Alert } from './alert';
import type { AlertFormatter } from './alert-formatters';

const maxNamedSources = 5;
/** Less than an Event may have. */
export const maxDetailBytes = 1_000;

/** Limits for names of objects and of namespaces. */
const maxNameBytes = 253;
const maxNamespaceBytes = 63;

/** With the fixed text, below the limit of Google Chat, which is the strictest: 4096 characters. */
export const maxAlertBytes = 3_000;

/**
 * Reloader's exact sentence, with several sources if one restart answers several changes. What only Reroll knows
 * follows on a line of its own. See docs/reloader-compatibility.md, 14.2.
 */
export function alertText({ sources, workload, detail }: Alert, { escape }: Pick<AlertFormatter, 'escape'>): string {
  const name = (foreign: string): string => `*${escapedWithin(maxNameBytes, foreign, escape)}*`;
  const inNamespace = ` in namespace *${escapedWithin(maxNamespaceBytes, workload.namespace, escape)}*`;
  const named = sources
    .slice(0, maxNamedSources)
    .map((source) => `${name(source.name)} of type *${sourceKindNames[source.kind].token}*${inNamespace}`);
  const more = sources.length - named.length;
  const changes = named.join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  const what = `${name(workload.name)} of type *${workload.kind}*${inNamespace}`;
  const sentence = `Reloader detected changes in ${changes}. Hence reloaded ${what}`;
  const room = Math.min(maxDetailBytes, maxAlertBytes - Buffer.byteLength(sentence) - 1);
  return `${sentence}\n${escapedWithin(room, detail, escape)}`;
}

/** Text is cut before it is escaped: half an escape might mean something else. */
function escapedWithin(maxBytes: number, foreign: string, escape: AlertFormatter['escape']): string {
  for (let bytes = maxBytes; ; bytes = Math.floor(bytes * 0.8)) {
    const escaped = escape(printable(foreign, bytes));
    if (Buffer.byteLength(escaped) <= maxBytes) return escaped;
  }
}

/** Several alerts in one message, and the number of further ones. */
export function messageText(alerts: readonly string[], more: number, additionalInfo: string | undefined): string {
  const surplus = more > 0 ? [`and ${String(more)} more; each is in the log and in an Event`] : [];
  const text = [...alerts, ...surplus].join('\n');
  return additionalInfo === undefined ? text : `${additionalInfo} : ${text}`;
}
