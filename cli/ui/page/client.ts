import { LineReader } from '../model/line-reader';
import type { LiveMessage } from '../model/live-message';
import { after, get } from './browser';

/** Whether the process of `reroll ui` can be reached, apart from what it says. */
export type Connection = 'connecting' | 'open' | 'gone' | 'no-token' | 'full';

/** The process ended, the computer slept, or something else listens there now. */
const silentMs = 15_000;
const againMs = 1_500;

/** A function, because the compiler assumes that `aborted` stays the same across an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Asks the process that serves this page. */
export class Client {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** @throws the message of the process, or that it is gone */
  async ask<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
    const response = await this.#get(path, signal).catch((thrown: unknown) => {
      if (signal.aborted) throw thrown;
      throw new Error('reroll ui does not answer');
    });
    const body = JSON.parse(await response.text()) as { readonly message?: string };
    if (!response.ok) throw new Error(body.message ?? `HTTP ${String(response.status)}`);
    return body as Answer;
  }

  /** Follows changes until the signal, and connects again whenever the stream ends. */
  async follow(
    signal: AbortSignal,
    heard: (message: LiveMessage) => void,
    connection: (state: Connection) => void,
  ): Promise<void> {
    while (!isAborted(signal)) {
      const state = await this.#followOnce(signal, heard, () => connection('open')).catch((): Connection => 'gone');
      if (isAborted(signal)) return;
      connection(state);
      await new Promise<void>((resolve) => {
        after(againMs, resolve);
      });
    }
  }

  async #followOnce(
    signal: AbortSignal,
    heard: (message: LiveMessage) => void,
    opened: () => void,
  ): Promise<Connection> {
    const silent = new AbortController();
    const response = await this.#get('/api/live', AbortSignal.any([signal, silent.signal]));
    if (response.status === 401 || response.status === 403) return 'no-token';
    if (response.status === 503) return 'full';
    if (!response.ok || !response.body) return 'gone';
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const lines = new LineReader();
    for (;;) {
      const cancel = after(silentMs, () => silent.abort());
      const { done, value } = await reader.read().finally(cancel);
      if (done) return 'gone';
      for (const line of lines.push(value)) heard(JSON.parse(line) as LiveMessage);
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    return await get(path, { authorization: `Bearer ${this.#token}` }, signal);
  }
}
