import type { Check } from '../shared/runtime/http/http-server';
import type { Keeper } from './keeper';

/** Ready once all is there for the others to use; what is wrong since then is told, and mended by waiting. */
export function readinessChecks(keeper: Pick<Keeper, 'status'>): readonly Check[] {
  return [
    {
      name: 'certificates',
      check: () => {
        const { kept, problem, coverage } = keeper.status;
        return { ok: kept, message: problem ?? coverage ?? 'kept' };
      },
    },
  ];
}
