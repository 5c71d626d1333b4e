import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/runtime/clock';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body, even if it arrives slowly but steadily. */
  readonly maxMs: number;
}

/** Reads a body within limits. Never rejects. `aborted` means that the client is gone. */
export async function readBody(
  request: IncomingMessage,
  clock: Clock,
  { maxBytes, maxMs }: BodyLimits,
): Promise<Buffer | 'too-large' | 'too-slow' | 'aborted'> {
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (result: Buffer | 'too-large' | 'too-slow' | 'aborted'): void => {
      timer.cancel();
      request.off('data', onData);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) end('too-large');
    };
    const timer = clock.timer(maxMs, () => end('too-slow'));
    request.on('data', onData);
    request.once('end', () => end(Buffer.concat(chunks)));
    request.once('error', () => end('aborted'));
  });
}
