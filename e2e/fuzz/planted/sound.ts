import type { Target } from '../target';

/** A parser without a bug. */
export const target: Target = {
  seeds: ['a=1'],
  run: (input) => {
    const [, name = '', value = ''] = /^(\w+)=(\d+)$/.exec(input.toString('latin1')) ?? [];
    if (name === 'wanted' && value === '7') return;
    if (name.length > 3) return;
  },
};
