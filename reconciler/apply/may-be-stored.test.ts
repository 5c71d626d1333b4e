import { expect, it } from '@jest/globals';
import { ConnectionError, ConflictError, ServerError, TimeoutError } from '../../shared/kube/errors';
import type { KubeStatus } from '../../shared/kube/errors';
import { mayBeStored } from './may-be-stored';
import { MarkerLostError } from './patch-workload';
import { NotLeadingError } from './restart';
import { restartOf } from './restart.fixture';

function answer(status: number, message: string): ServerError {
  const body = { message, causes: [] } as unknown as KubeStatus;
  return new ServerError(message, { status, reason: 'InternalError', retryAfterMs: undefined }, body);
}

it.each<[string, unknown, boolean]>([
  ['got no answer', new ConnectionError('x'), true],
  ['got none in time', new TimeoutError('x'), true],
  ['was answered by a proxy', answer(502, 'x'), true],
  ['was lost in etcd', answer(500, 'etcdserver: request timed out'), true],
  ['was refused', new ConflictError('x', { status: 409, reason: 'Conflict', retryAfterMs: undefined }), false],
  ['was stored without its marker', new MarkerLostError(restartOf().workload, 'the variable', '11'), false],
  ['was not sent', new NotLeadingError(), false],
  ['was not let through', answer(500, 'Internal error occurred: failed calling webhook "x": EOF'), false],
  ['was denied in these words', answer(500, 'admission webhook "x" denied it: failed calling webhook "y"'), true],
])('a write that %s may be stored or not', (_how, error, isStored) => {
  expect(mayBeStored(error)).toBe(isStored);
});
