import type { Target } from '../target';

/** Fails on one word in one place, behind two checks. */
function parse(text: string): number {
  const value = JSON.parse(text) as {
    readonly kind?: string;
    readonly options?: { readonly mode?: string } | null;
  } | null;
  if (value?.kind !== 'planted') return 0;
  if (value.options?.mode === 'xyzzy-42') throw new TypeError('planted');
  return 1;
}

export const target: Target = {
  seeds: ['{"kind":"other","options":{"mode":"fast"}}'],
  run: (input) => {
    try {
      parse(input.toString('utf8'));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  },
};
