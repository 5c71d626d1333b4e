import { assertNever } from '../shared/domain/errors';
import { tokenDigits, webhookTokenSecretName } from '../shared/domain/protocol/webhook-token';
import type { KubeClient } from '../shared/kube/client/client';
import type { RequestLimits } from '../shared/kube/client/objects';
import type { Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/log/logger';
import { randomHex, type Random } from '../shared/runtime/random';
import { readSecret, writeSecret } from './kept-secret';
import type { TokenMetrics } from './metrics';
import { decodeTokenState, encodeTokenState, type TokenState } from './token-data';
import { nextTokenStep, tokenToName, type NamedTokens, type TokenStep } from './token-rotation';

export interface TokenPartDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: TokenMetrics;
}

export interface KeptTokens {
  /** The tokens that the webhook accepts. */
  readonly accepted: ReadonlySet<string>;
  /** The token that every registration should name. */
  readonly toName: string | undefined;
  /** Something was written, so there may be more to do. */
  readonly changed: boolean;
}

/** Keeps the Secret with the tokens of the webhook. No token ever reaches a log, a metric or an Event. */
export class TokenPart {
  readonly #deps: TokenPartDeps;
  readonly #namespace: string;
  readonly #lifeMs: number;

  constructor(deps: TokenPartDeps, namespace: string, lifeMs: number) {
    this.#deps = deps;
    this.#namespace = namespace;
    this.#lifeMs = lifeMs;
  }

  /**
   * Takes one step. `named` was read before this call, and a registration is written only in the version that was read:
   * none is reset to a token that was dropped meanwhile.
   * @throws MissingSecretError, ConflictError and the other KubeErrors
   */
  async keep(named: NamedTokens | undefined, limits: RequestLimits): Promise<KeptTokens> {
    const { client, clock, logger, metrics } = this.#deps;
    const secret = await readSecret(client, this.#namespace, webhookTokenSecretName, limits);
    const stored = decodeTokenState(secret['data']);
    const step = nextTokenStep(stored, named, clock.nowMs(), this.#lifeMs);
    const next = this.#stateAfter(step);
    if (next) {
      await writeSecret(client, secret, encodeTokenState(next, secret['data']), limits);
      if (step.do === 'make') metrics.rotationsTotal.inc();
      logger.info('token of the webhook written', {
        because: 'because' in step ? step.because : undefined,
        tokens: next.tokens.length,
      });
    }
    const { tokens, namedSinceMs } = next ?? stored;
    return {
      accepted: new Set(tokens.map(({ token }) => token)),
      toName: tokenToName({ tokens, namedSinceMs }, named, clock.nowMs())?.token,
      changed: next !== undefined,
    };
  }

  /** The next content of the Secret; undefined: unchanged. */
  #stateAfter(step: TokenStep): TokenState | undefined {
    const { clock, random } = this.#deps;
    switch (step.do) {
      case 'nothing':
      case 'wait':
        return undefined;
      case 'make': {
        const made = { token: randomHex(random, tokenDigits), sinceMs: clock.nowMs() };
        return { tokens: [...step.kept, made], namedSinceMs: undefined };
      }
      case 'write':
        return step.next;
      default:
        return assertNever(step, 'step of the rotation of a token');
    }
  }
}
