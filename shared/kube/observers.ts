/** What the client tells about each request; the composition root connects it to metrics. */
export interface ClientObserver {
  /** `code` is the HTTP status, or the code of the error when there was no answer. */
  requestFinished(request: {
    /** Of HTTP. */
    readonly method: string;
    readonly resource: string;
    readonly code: string;
    readonly durationMs: number;
  }): void;
}

/** Why a reflector opens a new stream. */
export type ReconnectReason = 'ended' | 'idle' | 'deadline' | 'expired' | 'connection' | 'refused' | 'malformed';

/** What a reflector tells about its work; the composition root connects it to metrics. */
export interface ReflectorObserver {
  /** A complete list has been taken over. */
  listed(list: { readonly objects: number; readonly durationMs: number }): void;
  reconnected(reason: ReconnectReason): void;
  /** `object`: one object was skipped; `stream`: bytes did not parse; `unknown-event`: an event type nobody knows. */
  decodeFailed(what: 'object' | 'stream' | 'unknown-event'): void;
  /** The sink threw: a bug of ours, which must not stop the stream. */
  sinkFailed(): void;
}
