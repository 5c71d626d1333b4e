import { beforeEach, expect, it } from '@jest/globals';
import { RerollError } from '../../shared/domain/errors';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { Metrics } from '../metrics/metrics';
import { RollbackReports } from './rollback-reports';

const blue = sourceRecord({ data: { color: 'blue' } });
const yellow = sourceRecord({ data: { color: 'yellow' } });

/** What a person must see to. */
class TakenError extends RerollError {
  constructor(code = 'TAKEN') {
    super('somebody else has that name', { code });
  }
}

let told: string[];
let reports: RollbackReports;

beforeEach(() => {
  told = [];
  const record = async ({ reason }: { readonly reason: string }): Promise<void> => {
    told.push(reason);
    await Promise.resolve();
  };
  reports = new RollbackReports({
    ...{ logger: new RecordingLogger(), events: { record }, metrics: new Metrics({ countByNamespace: false }) },
  });
});

it('that a content is not kept is told once, however often it is tried', () => {
  reports.notKept(blue, new TakenError());
  reports.notKept(blue, new TakenError());
  expect(told).toEqual(['RollbackFailed']);
});

it('is told again for another reason, and of the next content: what was in the way before may have been removed meanwhile', () => {
  reports.notKept(blue, new TakenError());
  reports.notKept(blue, new TakenError('OTHER'));
  reports.notKept(yellow, new TakenError('OTHER'));
  expect(told).toHaveLength(3);
});
