import type { Target } from '../target';

/** Trusts the length that the input states. */
function padded(text: string): readonly number[] {
  const [, length = '0'] = /^length=(\d{1,8})/.exec(text) ?? [];
  return new Array<number>(Number(length)).fill(0.5);
}

export const target: Target = {
  seeds: ['length=10'],
  maxMs: 60_000,
  run: (input) => {
    padded(input.toString('latin1'));
  },
};
