import { annotationsOf, sourceFlags } from '../../shared/domain/annotations/annotations';
import { watchedSourceKinds, type LintSettings } from '../../shared/domain/lint/lint-subject';
import { sourceKey, type SourceFlags, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { KubeClient } from '../../shared/kube/client/client';
import { sourceResources } from '../cluster/source-resources';
import type { MigrationSources } from './migration-subject';
import { readPages, type PageLimits } from './read-pages';

const unset: SourceFlags = { ignore: false, match: false };

/**
 * The annotations of the sources in a cluster. Only those that have some are kept. The cluster does not show what a
 * release renders, so every source counts as rendered.
 */
class ClusterSources implements MigrationSources {
  readonly #flags: ReadonlyMap<SourceKey, SourceFlags>;

  constructor(flags: ReadonlyMap<SourceKey, SourceFlags>) {
    this.#flags = flags;
  }

  has(): boolean {
    return true;
  }

  flagsOf(source: SourceRef): SourceFlags {
    return this.#flags.get(sourceKey(source)) ?? unset;
  }
}

/** Lists the metadata of all sources, page by page. */
export async function readClusterSources(
  client: KubeClient,
  settings: LintSettings,
  limits: PageLimits,
): Promise<{ readonly sources: MigrationSources; readonly missingRights: readonly string[] }> {
  const found = new Map<SourceKey, SourceFlags>();
  const missingRights: string[] = [];
  for (const kind of watchedSourceKinds(settings)) {
    const right = await readPages(client, sourceResources[kind], { ...limits, metadataOnly: true }, (page) => {
      for (const object of page) {
        const { name, namespace = '' } = object.metadata;
        const flags = sourceFlags(annotationsOf(object), settings.keys);
        if (flags.ignore || flags.match) found.set(sourceKey({ kind, namespace, name }), flags);
      }
    });
    if (right !== undefined) missingRights.push(right);
  }
  return { sources: new ClusterSources(found), missingRights };
}
