import type { Check } from '../../shared/runtime/http/http-server';
import type { Clock } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/domain/errors';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { namespaces } from '../../shared/kube/resource';
import type { Reconciler, ReconcilerStatus } from './reconciler';
import { isRefused, type WatchStatus } from '../watch/watches';

/** Longer than any watch stays without a byte. A watch that is silent for longer is dead. */
const silentWatchMs = 15 * 60_000;

const stateTexts: Readonly<Record<ReconcilerStatus['state'], string>> = {
  starting: 'getting the digest key',
  syncing: 'reading the first lists',
  standby: 'in sync; another replica holds the lease',
  acting: 'in sync and holding the lease',
  stopped: 'stopping',
};

/**
 * Ready: able to act, or to take over at once. Every watch has listed and begun, or is refused and reported as such.
 */
export function readinessChecks(reconciler: Pick<Reconciler, 'status'>): readonly Check[] {
  const engine: Check = {
    name: 'engine',
    check: () => {
      const { state, problem, remark } = reconciler.status;
      const text = state === 'acting' && remark !== undefined ? `in sync; ${remark}` : stateTexts[state];
      // A standby that cannot get the Lease cannot take over.
      const ok = state === 'acting' || (state === 'standby' && problem === undefined);
      return { ok, message: problem ?? text };
    },
  };
  return [engine, { name: 'watches', check: () => watchesCheck(reconciler.status.watches) }];
}

/** Liveness: no watch has been silent for longer than any watch may be. */
export function livenessChecks(reconciler: Pick<Reconciler, 'status'>, clock: Clock): readonly Check[] {
  return [
    {
      name: 'watches',
      check: () => {
        const nowMs = clock.monotonicMs();
        const silent = reconciler.status.watches.filter(
          // A watch that waits to retry is alive, and a restart would not bring an API server back.
          ({ state, lastActivityMonotonicMs }) =>
            state !== 'backing-off' && nowMs - lastActivityMonotonicMs > silentWatchMs,
        );
        return { ok: silent.length === 0, message: silent.map(({ name }) => `${name}: silent`).join('; ') || 'ok' };
      },
    },
  ];
}

/**
 * A watch that is refused, or of an add-on that was just installed, does not make the process unready: the message
 * names it, and the rest continues. But if namespaces are selected and cannot be watched, or no workloads can be
 * listed, nothing is left to do.
 */
function watchesCheck(watches: readonly WatchStatus[]): { readonly ok: boolean; readonly message: string } {
  const mayBeMissing = (watch: WatchStatus): boolean => watch.optional || (!watch.isScope && isRefused(watch));
  if (watches.length === 0) return { ok: false, message: 'none yet' };
  const ok =
    watches.every((watch) => (watch.synced && watch.begun) || mayBeMissing(watch)) &&
    whatItActsOn(watches).some(({ synced }) => synced);
  return { ok, message: watches.map(describeWatch).join('; ') };
}

/** The watches of workloads; in webhook mode, those of sources. Sources that may not be listed can be read by name. */
function whatItActsOn(watches: readonly WatchStatus[]): readonly WatchStatus[] {
  const workloads = watches.filter((watch) => workloadKinds.some(({ resource }) => resource === watch.resource));
  return workloads.length > 0 ? workloads : watches.filter((watch) => watch.resource !== namespaces);
}

function describeWatch(watch: WatchStatus): string {
  if (watch.lastError) return `${watch.name}: ${watch.state}, ${errorMessage(watch.lastError)}`;
  if (!watch.synced) return `${watch.name}: ${watch.state}`;
  return `${watch.name}: ${watch.begun ? 'ok' : 'listed, watch not established yet'}`;
}
