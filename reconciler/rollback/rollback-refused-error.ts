import { RerollError } from '../../shared/domain/errors';

/** Why an earlier content is not put back. */
export type RefusalCode =
  'NOT_RESTORABLE' | 'NOTHING_KEPT' | 'KEPT_NOT_TRUSTED' | 'KEPT_IS_SAME' | 'KEPT_IS_OLDER' | 'ROLLED_BACK_BEFORE';

/** An earlier content must not be put back, or there is none. The message is the reason, as the end of a sentence. */
export class RollbackRefusedError extends RerollError {
  constructor(code: RefusalCode, reason: string) {
    super(reason, { code });
  }
}
