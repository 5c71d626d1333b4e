/** Receives a report about each request; the composition root connects it to metrics. */
export interface ClientObserver {
  /** `code` is the HTTP status, or the code of the error if there was no answer. */
  requestFinished(request: {
    /** The HTTP method. */
    readonly method: string;
    readonly resource: string;
    readonly code: string;
    readonly durationMs: number;
  }): void;
}

/** Why a reflector opens a new stream. */
export type ReconnectReason = 'ended' | 'idle' | 'deadline' | 'expired' | 'connection' | 'refused' | 'malformed';

/** Receives reports from a reflector; the composition root connects it to metrics. */
export interface ReflectorObserver {
  /** A complete list has been processed. */
  listed(list: { readonly objects: number; readonly durationMs: number }): void;
  reconnected(reason: ReconnectReason): void;
  /** `object`: one object was skipped; `stream`: bytes did not parse; `unknown-event`: an unknown event type. */
  decodeFailed(what: 'object' | 'stream' | 'unknown-event'): void;
  /** The sink threw: a bug in Reroll, which must not stop the stream. */
  sinkFailed(): void;
}
