/**
 * How often a property is tried: `short` times in `npm test`, `long` times with `LONG_TESTS=1`, as in a step of
 * `.ci/run`.
 */
export function longForm(long: number, short: number): number {
  return process.env['LONG_TESTS'] === '1' ? long : short;
}
