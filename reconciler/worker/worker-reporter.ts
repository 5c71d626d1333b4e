import type { Reporter } from '../reporting/reporter';
import type { BaselineWritesOptions } from './baseline-writes';

/** What a worker reports of its looks, restarts and records. */
export type WorkerReporter = BaselineWritesOptions['reporter'] &
  Pick<
    Reporter,
    | ('looked' | 'leftAlone' | 'adopted' | 'coalesced' | 'brought' | 'withheld' | 'underWay' | 'refused' | 'failed')
    | ('notRead' | 'tooManyKeys' | 'forget')
  >;
