import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { findWorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { LocalWorkloadName } from '../../shared/domain/gate-settings/restart-order';
import type { OtherWorkload } from '../../shared/domain/lint/known-sources';
import type { LintSettings } from '../../shared/domain/lint/lint-subject';
import { workloadKey, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { whyUntracked } from '../../shared/domain/plan/why-untracked';
import { readWorkloadSpec } from '../../shared/domain/workloads/workload';
import type { Manifest } from './manifests';

/** The workloads among the manifests. */
export class ManifestWorkloads {
  readonly #settings: LintSettings;
  /** Undefined for a workload that is there twice, as in two overlays. */
  readonly #manifests = new Map<WorkloadKey, Manifest | undefined>();

  constructor(manifests: readonly Manifest[], settings: LintSettings) {
    this.#settings = settings;
    for (const manifest of manifests) {
      const kind = findWorkloadKind(manifest.group, manifest.kind);
      const name = textOf(fieldAt(manifest.object, ['metadata', 'name']));
      if (kind === undefined || name === undefined) continue;
      const key = workloadKey(kind.kind, manifest.namespace, name);
      this.#manifests.set(key, this.#manifests.has(key) ? undefined : manifest);
    }
  }

  /** Undefined for one that is not among the manifests, is there twice, or asks for no restarts. */
  get(namespace: string, { kind: wanted, name }: LocalWorkloadName): OtherWorkload | undefined {
    const manifest = this.#manifests.get(workloadKey(wanted, namespace, name));
    const kind = manifest && findWorkloadKind(manifest.group, manifest.kind);
    if (!kind) return undefined;
    const { keys, policy } = this.#settings;
    const spec = readWorkloadSpec(kind, manifest.object, keys, policy);
    return whyUntracked({ ...spec, kind: kind.kind }, policy) === undefined ? spec : undefined;
  }
}
