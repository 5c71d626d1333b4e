import { promise, requireFitToShow, secretMarker, type Target } from '../target';
import { errorFromStatus } from '../../../shared/kube/errors';
import { protobufType } from '../../../shared/kube/wire/protobuf-envelope';
import { bytesField, envelope, varintField } from '../../../shared/kube/wire/protobuf.fixture';
import { requestTarget } from '../../../shared/kube/request-target';
import { parseRetryAfter } from '../../../shared/kube/client/retry-after';
import { parseStatusBody } from '../../../shared/kube/wire/status-body';
import { json } from '../samples';

const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'no', details: { retryAfterSeconds: 3 } };
const write = requestTarget('PUT', '/api/v1/namespaces/shop/secrets/db');
const nowMs = Date.UTC(2026, 0, 1);

/** A server's account of a failure: a Status in either encoding, or a Retry-After header. */
export const target: Target = {
  seeds: [
    json({ ...status, message: `invalid value "${secretMarker}"` }),
    json({
      kind: 'Status',
      code: 403,
      message: 'secrets "db" is forbidden: User "a" cannot update resource "secrets"',
    }),
    envelope(
      Buffer.concat([
        bytesField(3, 'm'),
        bytesField(4, 'Expired'),
        bytesField(5, varintField(5, 3)),
        varintField(6, 410),
      ]),
    ),
    '120',
    'Wed, 21 Oct 2026 07:28:00 GMT',
  ],
  run: (input) => {
    for (const type of ['application/json', protobufType, undefined]) {
      const body = parseStatusBody(type, input);
      if (!body) continue;
      const { message, retryAfterMs = 0 } = errorFromStatus(body.code ?? 500, { ...body, reason: undefined }, write);
      requireFitToShow(message);
      promise(Number.isFinite(retryAfterMs) && retryAfterMs >= 0, 'a delay is a time from now on');
    }
    const waitMs = parseRetryAfter(input.toString('latin1'), nowMs);
    promise(waitMs === undefined || (Number.isFinite(waitMs) && waitMs >= 0), 'a wait is a time from now on');
  },
};
