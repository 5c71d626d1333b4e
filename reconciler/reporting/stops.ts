import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import { sourceKey, type SourceKind } from '../../shared/domain/sources/source';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { Logger } from '../../shared/runtime/log/logger';
import type { StoppedSource } from '../gates/restart-stages';

const apiVersions: Readonly<Record<SourceKind, string>> = {
  ConfigMap: 'v1',
  Secret: 'v1',
  SecretProviderClass: 'secrets-store.csi.x-k8s.io/v1',
};

/** Reports that restarts for a source have stopped: in the log, and on the source and the workload that stopped them. */
export class Stops {
  readonly #options: { readonly logger: Logger; readonly events: Pick<EventRecorder, 'record'> };

  constructor(options: { readonly logger: Logger; readonly events: Pick<EventRecorder, 'record'> }) {
    this.#options = options;
  }

  stopped({ source, record, failed, detail }: StoppedSource): void {
    const { logger, events } = this.#options;
    const workload = describeWorkload(failed.record);
    const command = `reroll resume ${source.kind.toLowerCase()}/${source.name} -n ${source.namespace}`;
    const message = `${detail}. Its other users keep the content of before. Change the source again, or run ${command}`;
    logger.warn(`restarts stopped: ${message}`, { source: sourceKey(source), workload });
    const { kind, namespace, name, uid } = failed.record;
    const { group, version } = workloadKind(kind).resource;
    const type = 'Warning';
    const reason = 'RestartsStopped';
    const apiVersion = group === '' ? version : `${group}/${version}`;
    void events.record({ regarding: { apiVersion, kind, namespace, name, uid }, type, reason, message });
    if (!record) return;
    const regarding = { apiVersion: apiVersions[source.kind], ...source, uid: record.uid };
    void events.record({ regarding, type, reason, message });
  }
}
