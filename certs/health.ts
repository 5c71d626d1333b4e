import type { Check } from '../shared/runtime/http/http-server';
import type { Keeper } from './keeper';

/** Ready once everything has been published. Later problems are reported, but a restart would not fix them. */
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
