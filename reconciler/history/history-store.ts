import { budgets } from '../../shared/domain/budgets';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { historyDataKey, historyName } from '../../shared/domain/protocol/history';
import type { KubeClient } from '../../shared/kube/client/client';
import { createObject, getObject, updateObject, type RequestLimits } from '../../shared/kube/client/objects';
import { undefinedIfNotFound } from '../../shared/kube/errors';
import { configMaps } from '../../shared/kube/resource';
import { checkedSegment, HistorySegmentError } from '../../shared/domain/protocol/history-line';
import { HistoryLog } from './history-log';

export interface HistoryStoreOptions {
  readonly client: KubeClient;
  /** Reroll's own namespace. */
  readonly namespace: string;
  /** The annotation by which a source is ignored: no workload may restart for a line of the history. */
  readonly ignoreKey: string;
  /** Throws a NotLeadingError unless this process leads. Called before each write. */
  readonly assertLeading: () => void;
  /** Called for a segment that cannot be used. It is dropped, and written over. */
  readonly onBroken: (configMap: string, problem: string) => void;
}

/** The segments of the history, each in a ConfigMap of Reroll's namespace. */
export class HistoryStore {
  readonly #options: HistoryStoreOptions;
  /** The resourceVersions that were read or written last. A write replaces that version and no other. */
  readonly #versions = new Map<number, string>();

  constructor(options: HistoryStoreOptions) {
    this.#options = options;
  }

  /** Reads all segments, checked. @throws KubeErrors */
  async read(limits: RequestLimits = {}): Promise<HistoryLog> {
    this.#versions.clear();
    const segments: (string | undefined)[] = [];
    for (let index = 0; index < budgets.historySegments; index++) {
      segments.push(await this.#readSegment(index, limits));
    }
    const broken = segments.flatMap((segment, index) => (segment === undefined ? [index] : []));
    const texts = segments.map((segment) => segment ?? '');
    while (texts.at(-1) === '') texts.pop();
    return new HistoryLog(texts, broken);
  }

  /**
   * @throws KubeErrors, NotLeadingError. ConflictError and AlreadyExistsError: somebody else has written it. NotFoundError: it was deleted.
   */
  async write(index: number, text: string, limits: RequestLimits = {}): Promise<void> {
    const { client, namespace, ignoreKey, assertLeading } = this.#options;
    const name = historyName(index);
    const version = this.#versions.get(index);
    const metadata = {
      ...{ name, namespace },
      labels: { 'app.kubernetes.io/managed-by': 'reroll', 'app.kubernetes.io/component': 'history' },
      annotations: { [ignoreKey]: 'true' },
      ...(version !== undefined && { resourceVersion: version }),
    };
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [historyDataKey]: text } };
    assertLeading();
    const stored =
      version === undefined
        ? await createObject(client, configMaps, namespace, configMap, limits)
        : await updateObject(client, configMaps, namespace, name, configMap, limits);
    this.#versions.set(index, stored.metadata.resourceVersion);
  }

  /** Undefined: it cannot be used. */
  async #readSegment(index: number, limits: RequestLimits): Promise<string | undefined> {
    const { client, namespace, onBroken } = this.#options;
    const name = historyName(index);
    const configMap = await getObject(client, configMaps, namespace, name, limits).catch(undefinedIfNotFound);
    if (!configMap) return '';
    this.#versions.set(index, configMap.metadata.resourceVersion);
    try {
      return checkedSegment(textOf(fieldAt(configMap, ['data', historyDataKey])) ?? '');
    } catch (error) {
      if (!(error instanceof HistorySegmentError)) throw error;
      onBroken(`${namespace}/${name}`, error.message);
      return undefined;
    }
  }
}
