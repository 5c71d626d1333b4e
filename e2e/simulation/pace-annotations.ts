import type { KubeObject } from '../apiserver/objects';
import type { GateAnnotations } from './gate-annotations';

/** The annotations that say which restart comes when. */
export const paceKeys = {
  maxRolling: 'reroll.dev/max-rolling',
  wave: 'reroll.dev/wave',
  after: 'reroll.dev/after',
} as const;

/**
 * The judge's own reading of a limit, as a number of workloads: each has one pod at least that is still to be replaced.
 * Undefined: it has no effect.
 */
export function limitOf(text: string | undefined): number | undefined {
  if (text === 'off' || text === '0') return Infinity;
  const [, count] = /^(\d+)(?: pods)?$/.exec(text ?? '') ?? [];
  return count === undefined ? undefined : Number(count);
}

/** The limit that an object sets. */
export function limitIn(gates: GateAnnotations | undefined): number | undefined {
  return limitOf(gates?.[paceKeys.maxRolling]);
}

export function waveOf(object: KubeObject): number {
  const text = object.metadata.annotations?.[paceKeys.wave] ?? '';
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

/** The workloads after which this one comes, as `Deployment shop/web`. */
export function comesAfter(object: KubeObject): readonly string[] {
  const text = object.metadata.annotations?.[paceKeys.after] ?? '';
  const parts = text.split(', ').map((part) => /^(deployment|statefulset|daemonset)\/(\w+)$/.exec(part));
  const kinds: Readonly<Record<string, string>> = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' }; // prettier-ignore
  return parts.flatMap((part) =>
    part ? [`${kinds[part[1] ?? ''] ?? ''} ${object.metadata.namespace ?? ''}/${part[2] ?? ''}`] : [],
  );
}

/** A rate as simulated users write it: `2/10s`. */
export function rateOf(text: string): { readonly count: number; readonly perMs: number } {
  const [, count, seconds] = /^(\d+)\/(\d+)s$/.exec(text) ?? [];
  return { count: Number(count), perMs: Number(seconds) * 1_000 };
}
