import type { WebhookToken } from '../shared/domain/protocol/webhook-token';
import type { StoredTokens, TokenState } from './token-data';

/** The token in the path of each live webhook of Reroll; undefined if its path has none. */
export type NamedTokens = readonly (string | undefined)[];

/**
 * The next step. Each writing step is one write of the Secret.
 *
 *     one token ──▶ two tokens ──────────────▶ two tokens ────────────▶ one token
 *       its life     the registrations get      every registration       the old one is
 *       is over      the new one after          has had the new one      no longer accepted
 *                    a minute                   for ten minutes
 */
export type TokenStep =
  | { readonly do: 'nothing' | 'wait' }
  /** A new token after the ones that are kept. */
  | { readonly do: 'make'; readonly kept: readonly WebhookToken[]; readonly because: string }
  | { readonly do: 'write'; readonly next: TokenState; readonly because: string };

/** How long a replica of the webhook may take to see a new token. */
export const acceptedMs = 60_000;

/** How long an API server may keep calling the previous path of a registration. */
export const droppedMs = 10 * 60_000;

/** A time further ahead than this was written by a wrong clock. */
const maxAheadMs = 10 * 60_000;

/** `named` is undefined while the registrations cannot be read. */
export function nextTokenStep(
  { tokens, namedSinceMs, problem }: StoredTokens,
  named: NamedTokens | undefined,
  nowMs: number,
  lifeMs: number,
): TokenStep {
  const newest = tokens.at(-1);
  if (!newest) return { do: 'make', kept: [], because: problem ?? 'there is no token yet' };
  if (tokens.some(({ sinceMs }) => sinceMs > nowMs + maxAheadMs)) {
    // Such a token would never expire, nor ever be named.
    const inTime = tokens.map((each) => ({ ...each, sinceMs: Math.min(each.sinceMs, nowMs) }));
    return { do: 'write', next: { tokens: inTime, namedSinceMs }, because: 'a token is of a time to come' };
  }
  if (tokens.length === 1) {
    if (nowMs - newest.sinceMs < lifeMs) return { do: 'nothing' };
    return { do: 'make', kept: tokens, because: 'the life of the token is over' };
  }
  if (!named) return { do: 'wait' };
  if (named.some((token) => token !== newest.token)) {
    if (namedSinceMs === undefined) return { do: 'wait' };
    return {
      ...{ do: 'write', next: { tokens, namedSinceMs: undefined } },
      because: 'a registration does not name the new token any more',
    };
  }
  if (namedSinceMs === undefined || namedSinceMs > nowMs + maxAheadMs) {
    return {
      ...{ do: 'write', next: { tokens, namedSinceMs: nowMs } },
      because: 'every registration names the new token',
    };
  }
  if (nowMs - namedSinceMs < droppedMs) return { do: 'wait' };
  return {
    ...{ do: 'write', next: { tokens: [newest], namedSinceMs: undefined } },
    because: 'no API server calls with the old token any more',
  };
}

/**
 * The token that the registrations should name: the newest that every replica of the webhook accepts by now, but never
 * older than one that a registration already names: a clock that is set back must not revert a rotation. Undefined if
 * there is none.
 */
export function tokenToName(
  { tokens }: TokenState,
  named: NamedTokens | undefined,
  nowMs: number,
): WebhookToken | undefined {
  const accepted = tokens.findLastIndex(({ sinceMs }) => nowMs - sinceMs >= acceptedMs);
  const already = tokens.findLastIndex(({ token }) => named?.includes(token) === true);
  // A single token is named at once: the webhook would accept no other.
  return tokens[Math.max(accepted, already, 0)];
}
