import * as z from 'zod';
import { objectOf } from '../shared/domain/kubernetes/json-value';
import {
  decodeTokens,
  encodeTokens,
  webhookTokenKey,
  type WebhookToken,
} from '../shared/domain/protocol/webhook-token';
import { dataOf, textAt, type SecretData } from './secret-text';

/** What the Secret `reroll-webhook-token` holds. */
export interface TokenState {
  /** The newest last. Each of them is accepted by the webhook. */
  readonly tokens: readonly WebhookToken[];
  /** Since when every live registration is known to name the newest token; undefined: not all of them do. */
  readonly namedSinceMs: number | undefined;
}

/** What of the Secret can be used, and what is wrong with the rest. */
export interface StoredTokens extends TokenState {
  /** Names the key, never its content. */
  readonly problem: string | undefined;
}

/** Beside the tokens, for {@link TokenState.namedSinceMs}: the webhook has no use for it. */
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

/** Reads `data` of the Secret, whoever wrote it. */
export function decodeTokenState(data: unknown): StoredTokens {
  const namedSinceMs = readNamedSince(textAt(data, rotationKey));
  if (!(webhookTokenKey in objectOf(data))) return { tokens: [], namedSinceMs, problem: undefined };
  try {
    return { tokens: decodeTokens(textAt(data, webhookTokenKey)), namedSinceMs, problem: undefined };
  } catch {
    // What was thrown may quote a token.
    return { tokens: [], namedSinceMs, problem: `"${webhookTokenKey}" does not hold tokens` };
  }
}

/** Undefined for what is unreadable, too: then the wait begins anew. */
function readNamedSince(text: string): number | undefined {
  try {
    return Date.parse(rotationSchema.parse(JSON.parse(text)).namedSince);
  } catch {
    return undefined;
  }
}
