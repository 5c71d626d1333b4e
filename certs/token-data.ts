import * as z from 'zod';
import { objectOf } from '../shared/domain/kubernetes/json-value';
import {
  decodeTokens,
  encodeTokens,
  webhookTokenKey,
  type WebhookToken,
} from '../shared/domain/protocol/webhook-token';
import { dataOf, textAt, type SecretData } from './secret-text';

/** The content of the Secret `reroll-webhook-token`. */
export interface TokenState {
  /** Newest last. The webhook accepts all of them. */
  readonly tokens: readonly WebhookToken[];
  /** Since when every live registration is known to name the newest token; undefined if not all do. */
  readonly namedSinceMs: number | undefined;
}

/** The usable part of the Secret, and the problem with the rest. */
export interface StoredTokens extends TokenState {
  /** It names the key, never its content. */
  readonly problem: string | undefined;
}

/** For {@link TokenState.namedSinceMs}; the webhook does not read it. */
const rotationKey = 'rotation.json';

const rotationSchema = z.looseObject({ namedSince: z.iso.datetime() });

/** `data` of the Secret; keys of others in `previous` are kept. */
export function encodeTokenState({ tokens, namedSinceMs }: TokenState, previous: unknown): SecretData {
  const texts = {
    [webhookTokenKey]: encodeTokens(tokens),
    ...(namedSinceMs !== undefined && {
      [rotationKey]: JSON.stringify({ v: 1, namedSince: new Date(namedSinceMs).toISOString() }),
    }),
  };
  return dataOf(texts, previous, [webhookTokenKey, rotationKey]);
}

/** Reads the Secret's `data`, which anyone may have written. */
export function decodeTokenState(data: unknown): StoredTokens {
  const namedSinceMs = readNamedSince(textAt(data, rotationKey));
  if (!(webhookTokenKey in objectOf(data))) return { tokens: [], namedSinceMs, problem: undefined };
  try {
    return { tokens: decodeTokens(textAt(data, webhookTokenKey)), namedSinceMs, problem: undefined };
  } catch {
    // The thrown error may quote a token.
    return { tokens: [], namedSinceMs, problem: `"${webhookTokenKey}" does not hold tokens` };
  }
}

/** Undefined also if it is unreadable: the wait then restarts. */
function readNamedSince(text: string): number | undefined {
  try {
    return Date.parse(rotationSchema.parse(JSON.parse(text)).namedSince);
  } catch {
    return undefined;
  }
}
