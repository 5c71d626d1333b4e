import { shownWithinMs } from './shown-within';
import type { World } from './world';
import { isRefusal } from './weather';

/** After the last fault, every watch is established again within this time. */
const reconnectedMs = 75_000;
/** A little longer than a watch may last. */
export const silentMs = 11 * 60_000;

/** How far behind what is stored a process may be that has led for long. One that begins to lead lists again. */
export function knownWithinMs(world: World): number {
  const { steps, weather, dark, stormMs } = world;
  const shownMs = shownWithinMs(world);
  if (shownMs < Infinity) return shownMs;
  const fellSilent =
    dark !== undefined ||
    steps.some(({ kind }) => kind === 'partition' || kind === 'replace-pods-unseen') ||
    weather.some(({ kind }) => kind === 'stream-half-open' || kind === 'hang');
  if (fellSilent) return silentMs;
  return weather.every(({ kind }) => isRefusal(kind)) ? reconnectedMs : stormMs + reconnectedMs;
}
