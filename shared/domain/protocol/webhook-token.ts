import { hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RerollError } from '../errors';

/** The Secret with the tokens that webhook paths may contain; `reroll certs` fills it. */
export const webhookTokenSecretName = 'reroll-webhook-token';

/** The key of the Secret's data that holds {@link encodeTokens}. */
export const webhookTokenKey = 'tokens.json';

/** 256 random bits in hex: an API server accepts only lower-case DNS names as path segments. */
export const tokenDigits = 64;

/** The first segment of a path: the kind of registration that calls. */
export type HookPath = 'mutate' | 'validate';

/** A secret that a caller of the webhook must present. */
export interface WebhookToken {
  readonly token: string;
  /** When it was written to the Secret, by the wall clock. */
  readonly sinceMs: number;
}

const storedSchema = z.object({
  v: z.literal(1),
  /** The newest last. All of them are accepted. */
  tokens: z
    .array(z.object({ token: z.string().regex(/^[0-9a-f]{64}$/), since: z.iso.datetime() }))
    .min(1)
    .max(8),
});

/** The Secret does not hold a list of tokens. */
export class WebhookTokenError extends RerollError {
  constructor(cause: unknown) {
    // The cause may quote a token, so the message does not include it.
    super(
      `Secret ${webhookTokenSecretName}: its key ${webhookTokenKey} does not hold tokens; remove its data and reroll certs makes a new token`,
      { code: 'WEBHOOK_TOKEN_UNREADABLE', cause },
    );
  }
}

/** `{"v":1,"tokens":[{"token":"…","since":"2026-01-02T03:04:05.000Z"}]}`, the newest last. */
export function encodeTokens(tokens: readonly WebhookToken[]): string {
  return JSON.stringify({
    v: 1,
    tokens: tokens.map(({ token, sinceMs }) => ({ token, since: new Date(sinceMs).toISOString() })),
  });
}

/** @throws WebhookTokenError */
export function decodeTokens(text: string): readonly WebhookToken[] {
  try {
    const { tokens } = storedSchema.parse(JSON.parse(text));
    return tokens.map(({ token, since }) => ({ token, sinceMs: Date.parse(since) }));
  } catch (thrown) {
    throw new WebhookTokenError(thrown);
  }
}

/** The path in a webhook registration, which the API server calls. */
export function tokenPath(hook: HookPath, token: string): string {
  return `/${hook}/${token}`;
}

/**
 * Whether a call with this token is from an API server. It takes the same time for wrong and right tokens, so that a
 * token cannot be guessed digit by digit.
 */
export function isKnownToken(candidate: string, tokens: readonly WebhookToken[]): boolean {
  const digest = hash('sha256', candidate, 'buffer');
  let known = false;
  // Compares all tokens each time: stopping at a match would reveal which token it was.
  for (const { token } of tokens) known = timingSafeEqual(digest, hash('sha256', token, 'buffer')) || known;
  return known;
}
