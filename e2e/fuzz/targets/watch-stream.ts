import { attemptLater, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import type { KubeClient } from '../../../shared/kube/client/client';
import { KubeError } from '../../../shared/kube/errors';
import { protobufType } from '../../../shared/kube/wire/protobuf-envelope';
import { watchFrame } from '../../../shared/kube/wire/protobuf.fixture';
import { sourceDecoder } from '../../../shared/kube/sources/source-decoder';
import { watchStream } from '../../../shared/kube/list-watch/watch-stream';
import { FakeClock } from '../../../shared/runtime/fake-clock';
import { protobufSecret } from '../protobuf-samples';
import { digester, json, sampleSecret } from '../samples';

const contentTypes = ['application/json', protobufType, 'application/json;charset=utf-8', 'text/html', undefined];
const decoder = sourceDecoder('Secret', digester, defaultAnnotationKeys);

/** A whole watch. The first byte chooses its content type, the second the length of its chunks. */
export const target: Target = {
  seeds: [
    Buffer.concat([Buffer.from([0, 40]), Buffer.from(`${json({ type: 'ADDED', object: sampleSecret })}\n`)]),
    Buffer.concat([Buffer.from([1, 7]), watchFrame('BOOKMARK', protobufSecret)]),
    Buffer.from([3, 1, 0x3c]),
  ],
  maxBytes: 8 * 1024,
  run: async (input) => {
    const [type = 0, length = 1] = input;
    const headers = { 'content-type': contentTypes[type % contentTypes.length] };
    const body = chunks(input.subarray(2), Math.max(1, length));
    const client = { open: async () => await Promise.resolve({ status: 200, headers, body }) } as unknown as KubeClient;
    const watch = async () =>
      await watchStream({
        ...{ client, clock: new FakeClock(), path: '/api/v1/secrets', query: {}, decoder },
        ...{ resourceVersion: undefined, timeoutSeconds: 300, signal: new AbortController().signal },
        ...{ onOpen: () => undefined, onActivity: () => undefined, onEvent: () => undefined },
      });
    await attemptLater(watch, KubeError);
  },
};

async function* chunks(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Promise.resolve(bytes.subarray(at, at + length));
}
