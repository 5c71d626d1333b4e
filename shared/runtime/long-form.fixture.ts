/**
 * How often a property is tried: `short` in `npm test`, `long` where `LONG_TESTS=1` asks for it, as a step of `.ci/run`
 * does.
 */
export function longForm(long: number, short: number): number {
  return process.env['LONG_TESTS'] === '1' ? long : short;
}
