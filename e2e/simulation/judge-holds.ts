import { gateKeys, holds } from './gate-annotations';
import { nearest, type GateLevels } from './gate-levels';

/** Whether a restart is held at this time: by the hold of everything, whatever others say, or by the nearest hold. */
export function isHeld(levels: GateLevels, atMs: number): boolean {
  const { everything } = levels;
  if (everything && holds(everything[gateKeys.hold] ?? 'true', atMs)) return true;
  return nearest(levels, gateKeys.hold, (text) => holds(text, atMs)) ?? false;
}

/** Whether the change is left to the next rollout that somebody else makes. */
export function isLeftToRollout(levels: GateLevels): boolean {
  const modes = ['now', 'next-rollout'];
  return nearest(levels, gateKeys.mode, (text) => modes.find((mode) => mode === text)) === 'next-rollout';
}
