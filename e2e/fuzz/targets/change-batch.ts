import { attempt, promise, requireFitToShow, type Target } from '../target';
import { changeBatchBody, parseChangeBatch } from '../../../shared/domain/protocol/change-batch';
import {
  boundedChangeRecord,
  ChangeRecordError,
  parseChangeRecord,
} from '../../../shared/domain/protocol/change-record';
import { readJsonBody } from '../../../reconciler/channel/answers';

const record = {
  ...{ v: 1, id: 'review-1', kind: 'Secret', namespace: 'shop', name: 'db', uid: 'uid-db' },
  ...{ digest: 'AAAAAAAAAAAAAAAAAAAAAA', keyId: 'AAAAAAAA', user: 'alice', groups: ['dev'], manager: 'kubectl' },
  changed: { added: ['a'], changed: ['b'], removed: ['c'] },
  observedAtMs: 1_767_225_600_000,
};

/** What arrives on the channel: a batch, and each of its records. */
export const target: Target = {
  seeds: [changeBatchBody('b1', [JSON.stringify(record), '{}'])],
  maxBytes: 256 * 1024,
  run: (input) => {
    const body = readJsonBody(input, parseChangeBatch);
    if ('error' in body) {
      requireFitToShow(body.error);
      return;
    }
    const { records } = body.value;
    promise(records.length <= 100, 'a batch has no more records than one may have');
    for (const each of records) {
      const read = attempt(() => parseChangeRecord(each), ChangeRecordError);
      if (!read) continue;
      const again = parseChangeRecord(boundedChangeRecord(read));
      promise(JSON.stringify(again) === JSON.stringify(read), 'a record that is accepted is within its bounds');
    }
  },
};
