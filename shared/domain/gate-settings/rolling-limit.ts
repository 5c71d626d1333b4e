import { RerollError } from '../errors';

/** What a limit counts: workloads that roll, or their pods that are still to be replaced. */
export type RollingUnit = 'workloads' | 'pods';

/** How many may roll at once in one scope: a cluster, a namespace, a node pool, the users of a source. */
export interface RollingLimit {
  readonly count: number;
  readonly unit: RollingUnit;
}

/** `off`: no limit. */
export type RollingLimitSetting = RollingLimit | 'off';

/** A text that is not a limit. */
export class RollingLimitError extends RerollError {
  constructor(text: string) {
    super(
      `${JSON.stringify(text.slice(0, maxShownLength))} is not a number of workloads such as 5, or of pods such as "20 pods"`,
      {
        code: 'INVALID_ROLLING_LIMIT',
      },
    );
  }
}

const maxShownLength = 60;
const form = /^\s*(\d{1,6})(?:\s+(workloads?|pods?))?\s*$/;

/** Reads `5`, `5 workloads`, `20 pods`, and `0` or `off` for no limit. Throws a RollingLimitError. */
export function parseRollingLimit(text: string): RollingLimitSetting {
  if (text.trim() === 'off') return 'off';
  const [, digits, unit = 'workloads'] = form.exec(text) ?? [];
  if (digits === undefined) throw new RollingLimitError(text);
  const count = Number(digits);
  return count === 0 ? 'off' : { count, unit: unit.startsWith('pod') ? 'pods' : 'workloads' };
}

/** @example '1 workload', '20 pods' */
export function describeRollingLimit({ count, unit }: RollingLimit): string {
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}
