import { attempt, promise, type Target } from '../target';
import {
  decodeTokens,
  encodeTokens,
  isKnownToken,
  WebhookTokenError,
} from '../../../shared/domain/protocol/webhook-token';

const token = '0123456789abcdef'.repeat(4);

/** The Secret with the tokens of the webhook. */
export const target: Target = {
  seeds: [
    encodeTokens([{ token, sinceMs: Date.UTC(2026, 0, 1) }]),
    encodeTokens([
      { token, sinceMs: 0 },
      { token: token.replaceAll('0', 'f'), sinceMs: Date.UTC(2026, 0, 2) },
    ]),
  ],
  run: (input) => {
    const text = input.toString('utf8');
    const tokens = attempt(() => decodeTokens(text), WebhookTokenError);
    promise(!isKnownToken(text, tokens ?? []), 'what holds tokens is no token');
    if (!tokens) return;
    promise(
      tokens.every((each) => isKnownToken(each.token, tokens)),
      'each token that is stored is accepted',
    );
    promise(!isKnownToken(`${token}0`, tokens) && !isKnownToken('', tokens), 'no other token is accepted');
    promise(
      JSON.stringify(decodeTokens(encodeTokens(tokens))) === JSON.stringify(tokens),
      'tokens are read as they were written',
    );
  },
};
