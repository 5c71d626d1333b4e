import type { WriteRecord } from '../apiserver/store';
import { isOfCrowd } from './crowd';
import { isOfEngine, isOfWorkload } from './lives';
import { templateOf } from './usage';

/** The situations that the large worlds of a batch must reach. */
export const crowdSituations = [
  'a list came in several pages',
  'all sources of a namespace were read at once, because decisions rested on many',
  'sixty workloads were restarted for one source',
  'a workload was restarted while its source kept changing',
] as const;
export type CrowdSituation = (typeof crowdSituations)[number];

const many = 60;
/** Sources settle only after a break of this length. */
const settleMs = 1_000;
const settleMaxMs = 10_000;

/** Notes which of these situations a world reaches. */
export class CrowdSituations {
  readonly #reached = new Set<CrowdSituation>();
  readonly #restarted = new Set<string>();
  /** For each source, the current run of changes that follow each other without a break. */
  readonly #runs = new Map<string, { readonly firstMs: number; lastMs: number }>();

  get reached(): ReadonlySet<CrowdSituation> {
    return this.#reached;
  }

  /** Called for each request of an engine that was carried out. */
  answered(path: string, status: number): void {
    if (status !== 200 || path.includes('watch=')) return;
    if (path.includes('continue=')) this.#reached.add('a list came in several pages');
    const isWhole =
      /^\/api\/v1\/namespaces\/default\/configmaps(?:\?|$)/.test(path) && !path.includes('fieldSelector=');
    if (isWhole) this.#reached.add('all sources of a namespace were read at once, because decisions rested on many');
  }

  written(write: WriteRecord): void {
    const { kind, key, object, previous, atMs } = write;
    if (kind.kind === 'ConfigMap') {
      const run = this.#runs.get(key);
      if (run && atMs - run.lastMs < settleMs) run.lastMs = atMs;
      else this.#runs.set(key, { firstMs: atMs, lastMs: atMs });
      if (key === 'default/app') this.#restarted.clear();
    }
    if (!isOfWorkload(write) || !isOfEngine(write) || templateOf(previous) === templateOf(object)) return;
    if (!isOfCrowd(object.metadata.name)) return;
    if (this.#restarted.add(object.metadata.uid).size >= many)
      this.#reached.add('sixty workloads were restarted for one source');
    const runs = [...this.#runs.values()];
    if (runs.some(({ firstMs, lastMs }) => atMs - firstMs >= settleMaxMs && atMs - lastMs < settleMs)) {
      this.#reached.add('a workload was restarted while its source kept changing');
    }
  }
}
