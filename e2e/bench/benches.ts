import { measureAdmission } from './admission/measure';
import type { Measured } from './result';

export interface Bench {
  readonly summary: string;
  /** `tell` says what is being done, for those who wait. */
  readonly measure: (tell: (what: string) => void) => Promise<Measured>;
}

/** A row is a bench. */
export const benches: Readonly<Record<string, Bench>> = {
  admission: {
    summary: 'how fast, and with how much memory, `reroll webhook` answers reviews of 16 KB Secrets',
    measure: measureAdmission,
  },
};
