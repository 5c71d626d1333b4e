import { printable } from '../../shared/domain/text/printable';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { ReconcilerOptions } from '../options/options';

export const metaInfoName = 'reloader-meta-info';
export const metaInfoLabels = { 'reloader.stakater.com/meta-info': 'reloader' } as const;

export interface MetaInfoInput {
  readonly options: ReconcilerOptions;
  /** The namespace of the ConfigMap. */
  readonly namespace: string;
  readonly version: string;
  /** Such as `node v20.20.2`. */
  readonly runtime: string;
}

/** Replaces a URL that may contain a credential: users who may read a ConfigMap may not post to it. */
const hidden = '(not shown)';

/** Workload kinds that can be ignored, by their names in the flag. */
const ignorable = { Job: 'jobs', CronJob: 'cronjobs' } as const;

/**
 * The three keys of the ConfigMap, each compact JSON, with Reloader's fields in its order. `namespaces`, which Reloader
 * leaves out, is the last of the options. See docs/reloader-compatibility.md, 16.
 */
export function metaInfoData({
  options,
  namespace,
  version,
  runtime,
}: MetaInfoInput): Readonly<Record<string, string>> {
  const { annotationKeys: keys, ignoredSourceKind, ignoredWorkloadKinds, metaInfoDeployment } = options;
  return {
    buildInfo: json({
      goVersion: runtime,
      releaseVersion: version,
      // Reloader's values for a build that does not know its commit.
      commitHash: 'unknown',
      commitTime: '0001-01-01T00:00:00Z',
      edition: 'oss',
    }),
    reloaderOptions: json({
      autoReloadAll: options.autoReloadAll,
      configmapUpdateOnChangeAnnotation: keys.configMapReload,
      secretUpdateOnChangeAnnotation: keys.secretReload,
      secretProviderClassUpdateOnChangeAnnotation: keys.secretProviderClassReload,
      reloaderAutoAnnotation: keys.auto,
      ignoreResourceAnnotation: keys.ignore,
      configmapReloaderAutoAnnotation: keys.configMapAuto,
      secretReloaderAutoAnnotation: keys.secretAuto,
      secretProviderClassReloaderAutoAnnotation: keys.secretProviderClassAuto,
      configmapExcludeReloaderAnnotation: keys.configMapExclude,
      secretExcludeReloaderAnnotation: keys.secretExclude,
      secretProviderClassExcludeReloaderAnnotation: keys.secretProviderClassExclude,
      autoSearchAnnotation: keys.search,
      searchMatchAnnotation: keys.match,
      rolloutStrategyAnnotation: keys.rolloutStrategy,
      pauseDeploymentAnnotation: keys.pausePeriod,
      pauseDeploymentTimeAnnotation: keys.pausedAt,
      logFormat: options.logFormat === 'json' ? 'json' : '',
      logLevel: options.logLevel,
      isArgoRollouts: !ignoredWorkloadKinds.includes('Rollout'),
      reloadStrategy: options.strategy,
      reloadOnCreate: options.reloadOnCreate,
      reloadOnDelete: options.reloadOnDelete,
      syncAfterRestart: false,
      // There is always a Lease.
      enableHA: true,
      enableCSIIntegration: options.csi,
      webhookUrl: options.webhookUrl ? hidden : '',
      resourcesToIgnore: ignoredSourceKind ? [`${ignoredSourceKind.toLowerCase()}s`] : [],
      workloadTypesToIgnore: ignoredWorkloadKinds.flatMap((kind) =>
        kind === 'Job' || kind === 'CronJob' ? ignorable[kind] : [],
      ),
      namespaceSelectors: terms(options.namespaceSelector),
      resourceSelectors: terms(options.sourceSelector),
      namespacesToIgnore: options.namespacesToIgnore,
      enablePProf: false,
      pprofAddr: '',
      namespaces: options.namespaces,
    }),
    deploymentInfo: json({
      ...(metaInfoDeployment !== undefined && { name: metaInfoDeployment }),
      namespace,
    }),
  };
}

/** As in Reloader, the parsed form, not the older one in which it may have been written. */
function terms(selector: Selector): readonly string[] {
  return selector.isEverything ? [] : [selector.text];
}

/** Names and selectors are as passed to the process, and anybody who reads the ConfigMap sees them. */
function json(value: object): string {
  return printable(JSON.stringify(value));
}
