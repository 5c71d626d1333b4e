import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import type { LintRow } from './lint.fixture';
import { source, usesConfigMap, usesSecret } from './lint.fixture';

/** Annotations that others override (docs/reloader-compatibility.md, 2.5). */
export const precedenceRows: readonly LintRow[] = [
  {
    title: '§2.5 row 56: the metadata switches off, the pod template on',
    applied: { metadata: { [keys.auto]: 'false' }, template: { [keys.auto]: 'true' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect on the pod template: the metadata has reloader.stakater.com/auto, and then it alone counts; write it there, or remove it',
      ],
    ],
  },
  {
    title: '§2.5 row 57: an empty search on the metadata',
    applied: { metadata: { [keys.search]: '' }, template: { [keys.auto]: 'true' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect on the pod template: the metadata has reloader.stakater.com/search, and then it alone counts; write it there, or remove it',
      ],
    ],
  },
  {
    title: '§2.5 row 58: an empty list on the metadata, for its kind alone',
    applied: { metadata: { [keys.configMapReload]: '' }, template: { [keys.auto]: 'true' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect on the pod template for ConfigMaps: the metadata has configmap.reloader.stakater.com/reload, and then it alone counts; write it there, or remove it',
      ],
    ],
  },
  {
    title: '§2.5 row 58: a list on the pod template that another overrides',
    applied: { metadata: { [keys.configMapReload]: 'app' }, template: { [keys.configMapReload]: 'common' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="common" has no effect on the pod template: the metadata has configmap.reloader.stakater.com/reload, and then it alone counts; write it there, or remove it',
      ],
    ],
  },
  {
    title: '§2.5 row 14: off, and on for one kind',
    applied: { metadata: { [keys.auto]: 'false', [keys.configMapAuto]: 'true' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="false" switches nothing off: configmap.reloader.stakater.com/auto still counts; remove that to switch restarts off, or this',
      ],
    ],
  },
  {
    title: '§2.5 row 56: off, and a list on the pod template, which the switch makes ineffective',
    applied: { metadata: { [keys.auto]: 'false' }, template: { [keys.configMapReload]: 'app' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app" has no effect on the pod template: the metadata has reloader.stakater.com/auto, and then it alone counts; write it there, or remove it',
      ],
    ],
  },
  {
    title: 'off on the pod template, and a list on the metadata',
    applied: { metadata: { [keys.configMapReload]: 'app' }, template: { [keys.auto]: 'false' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="false" switches nothing off: configmap.reloader.stakater.com/reload still counts; remove that to switch restarts off, or this',
      ],
    ],
  },
  {
    title: '§2.5 row 32: off, and a list',
    applied: { metadata: { [keys.auto]: 'false', [keys.configMapReload]: 'app' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="false" switches nothing off: configmap.reloader.stakater.com/reload still counts; remove that to switch restarts off, or this',
      ],
    ],
  },
  {
    title: '§2.5 row 52: off, and a search',
    applied: { metadata: { [keys.auto]: 'false', [keys.search]: 'true' } },
    sources: [source('ConfigMap', 'app', { match: true })],
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/auto="false" switches nothing off: reloader.stakater.com/search still counts; remove that to switch restarts off, or this',
      ],
    ],
  },
  {
    title: '§2.5 row 15: on, and off for one kind',
    applied: { metadata: { [keys.auto]: 'true', [keys.secretAuto]: 'false' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation secret.reloader.stakater.com/auto="false" has no effect: reloader.stakater.com/auto switches every kind on; replace that by the switches of the kinds you want',
      ],
    ],
  },
  {
    title: '§2.5 row 53: a search beside everything',
    applied: { metadata: { [keys.auto]: 'true', [keys.search]: 'true' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/search="true" adds nothing: the workload restarts for every source that it uses; remove it, or reloader.stakater.com/auto',
      ],
    ],
  },
  {
    title: '§2.5 row 54: a search where every workload is restarted',
    applied: { metadata: { [keys.search]: 'true' } },
    flags: { policy: { autoReloadAll: true } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation reloader.stakater.com/search="true" adds nothing: the workload restarts for every source that it uses; remove it',
      ],
    ],
  },
  {
    title: '§2.5 row 33: a list that reads as if it narrowed',
    applied: {
      metadata: { [keys.auto]: 'true', [keys.configMapReload]: 'app' },
      envFrom: [usesConfigMap('app'), usesConfigMap('common')],
    },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app" does not narrow reloader.stakater.com/auto: other ConfigMaps that are used count too; remove one of the two',
      ],
    ],
  },
  {
    title: '§2.5 row 33: the same, by the switch of the kind',
    applied: {
      metadata: { [keys.secretAuto]: 'true', [keys.secretReload]: 'db' },
      envFrom: [usesSecret('db'), usesSecret('tls')],
    },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="db" does not narrow secret.reloader.stakater.com/auto: other Secrets that are used count too; remove one of the two',
      ],
    ],
  },
  {
    title: '§2.5 row 42: listed and excluded',
    applied: { metadata: { [keys.configMapReload]: 'app,common', [keys.configMapExclude]: 'app' } },
    says: [
      [
        'overridden',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app" has no effect: configmaps.exclude.reloader.stakater.com/reload names it too, and takes precedence; remove it from one of the two',
      ],
    ],
  },
  {
    title: '§2.5 row 43: an exclude list with a pattern',
    applied: { metadata: { [keys.auto]: 'true', [keys.configMapExclude]: 'app-.*' } },
    says: [
      [
        'bad-name',
        'Deployment shop/web: annotation configmaps.exclude.reloader.stakater.com/reload="app-.*" is compared literally and excludes nothing: only reload lists accept patterns; write whole names',
      ],
    ],
  },
  {
    title: 'a list of a kind that is narrowed out',
    applied: { metadata: { [keys.auto]: 'true', [keys.secretReload]: 'gone', [keys.match]: 'configmap' } },
    says: [
      [
        'narrowed-out',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="gone" has no effect: reloader.stakater.com/match leaves Secrets out; remove one of the two',
      ],
    ],
  },
  {
    title: 'a switch of a kind that is narrowed out',
    applied: { metadata: { [keys.configMapAuto]: 'true', [keys.secretAuto]: 'true', [keys.kind]: 'secret' } },
    says: [
      [
        'narrowed-out',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/auto="true" has no effect: reloader.stakater.com/kind leaves ConfigMaps out; remove one of the two',
      ],
    ],
  },
];
