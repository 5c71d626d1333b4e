import { arrayAt, stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { isEngine } from './engine-user';
import type { Features } from './features';
import { isOfEngine, isOfWorkload } from './lives';
import { isWatchedKind, isWatchedNamespace } from './scope-world';
import { podTemplateOf, templateOf } from './usage';

/** Situations that a batch must reach of worlds whose workloads use sources in other forms, or whose installs leave some out. */
export const formSituations = [
  'a restart marked two containers',
  'a workload was restarted that mounts a part of a volume',
  'a workload was restarted that mounts several sources as one volume',
  'a workload was restarted where namespaces are watched one by one',
  'a source changed in a namespace that is not watched',
  'a source changed of a kind that is left out',
] as const;
export type FormSituation = (typeof formSituations)[number];

/** Notes which of these situations a world reaches. */
export class FormSituations {
  readonly #features: Features;
  readonly #reached = new Set<FormSituation>();

  constructor(features: Features) {
    this.#features = features;
  }

  get reached(): ReadonlySet<FormSituation> {
    return this.#reached;
  }

  written(write: WriteRecord): void {
    const { forms = false, scope } = this.#features;
    if (!scope && !forms) return;
    if (isOfWorkload(write) && isOfEngine(write)) this.#workloadWritten(write);
    const { kind, object, user } = write;
    const isSource = kind.kind === 'ConfigMap' || kind.kind === 'Secret';
    if (!isSource || isEngine(user) || write.type !== 'MODIFIED') return;
    if (!isWatchedKind(this.#features, object)) this.#reached.add('a source changed of a kind that is left out');
    if (!isWatchedNamespace(this.#features, object.metadata.namespace ?? ''))
      this.#reached.add('a source changed in a namespace that is not watched');
  }

  #workloadWritten({ object, previous }: WriteRecord): void {
    if (templateOf(previous) === templateOf(object)) return;
    const template = podTemplateOf(object);
    const containers = arrayAt(template, 'spec', 'containers');
    const marked = containers.filter((container) =>
      arrayAt(container, 'env').some((variable) => stringAt(variable, 'name')?.startsWith('STAKATER_')),
    );
    if (marked.length > 1) this.#reached.add('a restart marked two containers');
    const mounts = containers.flatMap((container) => arrayAt(container, 'volumeMounts'));
    if (mounts.some((mount) => stringAt(mount, 'subPath') !== undefined))
      this.#reached.add('a workload was restarted that mounts a part of a volume');
    const volumes = arrayAt(template, 'spec', 'volumes');
    if (volumes.some((volume) => arrayAt(volume, 'projected', 'sources').length > 1))
      this.#reached.add('a workload was restarted that mounts several sources as one volume');
    if ((this.#features.scope?.namespaces.length ?? 0) > 1)
      this.#reached.add('a workload was restarted where namespaces are watched one by one');
  }
}
