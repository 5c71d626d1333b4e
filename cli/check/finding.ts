import type { Facts } from '../parts/facts';

/** `unknown`: it cannot be told, mostly for lack of a right of the person who asks. */
export const findingStates = ['ok', 'warning', 'failed', 'unknown'] as const;
export type FindingState = (typeof findingStates)[number];

/** What a check has found: one line, and what to do. */
export interface Finding {
  readonly state: FindingState;
  readonly says: string;
  /** What to do. */
  readonly fix?: string;
}

/** A row of the table in checks.ts. */
export interface Check {
  readonly name: string;
  readonly look: (facts: Facts) => Promise<Finding>;
}

export function ok(says: string): Finding {
  return { state: 'ok', says };
}

export function warning(says: string, fix: string): Finding {
  return { state: 'warning', says, fix };
}

export function failed(says: string, fix: string): Finding {
  return { state: 'failed', says, fix };
}

/** `says` names the missing right, if that is why. */
export function unknown(says: string, fix?: string): Finding {
  return { state: 'unknown', says, ...(fix !== undefined && { fix }) };
}

const severity: readonly FindingState[] = ['ok', 'unknown', 'warning', 'failed'];

/** One finding that says all that is wrong; the first if nothing is. */
export function together(first: Finding, ...more: readonly Finding[]): Finding {
  const all = [first, ...more];
  const wrong = all.filter(({ state }) => state !== 'ok');
  if (wrong.length === 0) return first;
  const state = severity[Math.max(...wrong.map((finding) => severity.indexOf(finding.state)))] ?? 'unknown';
  const fixes = [...new Set(wrong.flatMap(({ fix }) => fix ?? []))];
  return {
    state,
    says: [...new Set(wrong.map(({ says }) => says))].join('; '),
    ...(fixes.length > 0 && { fix: fixes.join('; ') }),
  };
}
