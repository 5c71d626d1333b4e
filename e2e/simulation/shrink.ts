import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { noFeatures } from './features';
import type { Violation } from './judge';
import { simulate } from './simulation';
import type { World } from './world';

/** The limit of runs. What is left by then is small enough to read. */
const maxRuns = 400;

/**
 * Returns the smallest world found in which the same promise is broken. Simplifies the settings of the world, and then
 * leaves out steps and weather in ever smaller chunks, as long as the promise stays broken.
 *
 * @see https://www.debuggingbook.org/html/DeltaDebugger.html
 */
export async function shrink(
  world: World,
  promise: Violation['promise'],
  settings: Partial<EngineSettings> = {},
): Promise<World> {
  let runs = 0;
  const stillBroken = async (candidate: World): Promise<boolean> => {
    runs += 1;
    const { violations } = await simulate(candidate, settings);
    return violations.some((violation) => violation.promise === promise);
  };
  let smallest = world;
  const simplest: readonly Partial<World>[] = [
    { hybrid: undefined },
    { dark: undefined },
    { features: noFeatures },
    { controllers: false },
    { lagMs: new Map() },
    { replicas: 1 },
    { maxLatencyMs: 5 },
  ];
  for (const simpler of simplest) {
    const candidate = { ...smallest, ...simpler };
    if (await stillBroken(candidate)) smallest = candidate;
  }
  for (const part of ['weather', 'steps', 'weather'] as const) {
    let size = Math.max(1, Math.ceil(smallest[part].length / 2));
    for (;;) {
      let removed = false;
      for (let from = 0; from < smallest[part].length && runs < maxRuns;) {
        const list = smallest[part];
        const kept = [...list.slice(0, from), ...list.slice(from + size)];
        const candidate = { ...smallest, [part]: kept };
        if (await stillBroken(candidate)) {
          smallest = candidate;
          removed = true;
        } else from += size;
      }
      if (runs >= maxRuns || (size === 1 && !removed)) break;
      if (!removed) size = Math.max(1, Math.floor(size / 2));
    }
  }
  return smallest;
}
