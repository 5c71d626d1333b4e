import { FakeClock } from '../../runtime/fake-clock';
import type { Random } from '../../runtime/random';
import { RecordingLogger } from '../../runtime/log/recording-logger';
import type { KubeClientOptions } from './client';
import { KubeClient } from './client';
import { staticCredentials } from '../access/credentials';
import type { Reply } from '../transport/fake-transport';
import { FakeTransport } from '../transport/fake-transport';
import type { HttpRequest } from '../transport';

export interface ClientWorld {
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly transport: FakeTransport;
  readonly client: KubeClient;
}

/** A client with a fake server: `handler` answers each request. */
export function clientWorld(
  handler: (request: HttpRequest, index: number) => Reply | Promise<Reply>,
  options: Partial<KubeClientOptions> = {},
): ClientWorld {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const transport = new FakeTransport(handler);
  const credentials = staticCredentials({ authorization: 'Bearer t' });
  const client = new KubeClient({ transport, credentials, clock, logger, userAgent: 'reroll/test', ...options });
  return { clock, logger, transport, client };
}

/** The JSON body of a request. */
export function bodyOf(request: HttpRequest | undefined): unknown {
  return JSON.parse(request?.body?.toString() ?? 'null') as unknown;
}

export const zeroRandom: Random = { float: () => 0, bytes: (length: number) => Buffer.alloc(length) };
