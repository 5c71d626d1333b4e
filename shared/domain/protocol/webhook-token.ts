import { hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RerollError } from '../errors';

/** The Secret with the tokens that the path of a registration may carry; `reroll certs` fills it. */
export const webhookTokenSecretName = 'reroll-webhook-token';

/** The key of the Secret's data that holds {@link encodeTokens}. */
export const webhookTokenKey = 'tokens.json';

/** 256 random bits. An API server takes only a lower-case DNS name as a part of a path, so they are written in hex. */
export const tokenDigits = 64;

/** What the first part of a path says: which kind of registration calls. */
export type HookPath = 'mutate' | 'validate';

/** A secret that a call of the webhook must know. */
export interface WebhookToken {
  readonly token: string;
  /** When it was written to the Secret, by the wall clock. */
  readonly sinceMs: number;
}

const storedSchema = z.object({
  v: z.literal(1),
  /** The newest last. Each of them is accepted. */
  tokens: z
    .array(z.object({ token: z.string().regex(/^[0-9a-f]{64}$/), since: z.iso.datetime() }))
    .min(1)
    .max(8),
});

/** The Secret holds something that is not a list of tokens. */
export class WebhookTokenError extends RerollError {
  constructor(cause: unknown) {
    // The cause may quote a token, so it is not part of the message.
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

/** The path that a registration names, under which the API server calls. */
export function tokenPath(hook: HookPath, token: string): string {
  return `/${hook}/${token}`;
}

/**
 * Whether a call that came with this token is of an API server. Takes as long for a wrong token as for a right one, so
 * that a token cannot be found out digit by digit.
 */
export function isKnownToken(candidate: string, tokens: readonly WebhookToken[]): boolean {
  const asked = hash('sha256', candidate, 'buffer');
  let known = false;
  // All of them each time: where the search ended would tell which one it was.
  for (const { token } of tokens) known = timingSafeEqual(asked, hash('sha256', token, 'buffer')) || known;
  return known;
}
