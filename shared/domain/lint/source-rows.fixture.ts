import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { parseSelector } from '../kubernetes/selector';
import type { LintRow } from './lint.fixture';
import { source, usesConfigMap } from './lint.fixture';

/** Annotations that match no source. */
export const sourceRows: readonly LintRow[] = [
  {
    title: 'a listed name that is not there',
    applied: { metadata: { [keys.configMapReload]: 'app,ap' } },
    says: [
      [
        'no-such-source',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="ap" matches no ConfigMap in shop now; check the name, or create it',
      ],
    ],
  },
  {
    title: 'a listed name under a selector of sources',
    applied: { metadata: { [keys.configMapReload]: 'ap' } },
    flags: { selection: { sourceSelector: parseSelector('reload=yes') } },
    says: [
      [
        'no-such-source',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="ap" matches no ConfigMap in shop now that --resource-label-selector selects; check name and labels',
      ],
    ],
  },
  {
    title: 'a Secret in the list of ConfigMaps',
    applied: { metadata: { [keys.configMapReload]: 'db' } },
    says: [
      [
        'other-kind',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="db" matches no ConfigMap: there is a Secret of that name; write it under secret.reloader.stakater.com/reload',
      ],
    ],
  },
  {
    title: 'a namespace written with the name',
    applied: { metadata: { [keys.configMapReload]: 'infra/shared' } },
    says: [
      [
        'bad-name',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="infra/shared" names a source in another namespace: only those in namespace shop count; write the name alone',
      ],
    ],
  },
  {
    title: 'a source that is ignored',
    applied: { metadata: { [keys.configMapReload]: 'app' } },
    sources: [source('ConfigMap', 'app', { ignore: true })],
    says: [
      [
        'source-ignored',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app" has no effect: that ConfigMap is annotated reloader.stakater.com/ignore; remove one of the two',
      ],
    ],
  },
  {
    title: 'a SecretProviderClass that is not there',
    applied: { metadata: { [keys.secretProviderClassReload]: 'vault' } },
    flags: { csi: true },
    says: [
      [
        'no-such-source',
        'Deployment shop/web: annotation secretproviderclass.reloader.stakater.com/reload="vault" matches no SecretProviderClass in shop now; check the name, or create it',
      ],
    ],
  },
  {
    title: 'a list on the pod template',
    applied: { template: { [keys.secretReload]: 'gone' } },
    says: [
      [
        'no-such-source',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="gone" matches no Secret in shop now; check the name, or create it',
      ],
    ],
  },
  {
    title: 'a search without any match',
    applied: { metadata: { [keys.search]: 'true' } },
    says: [
      [
        'no-match',
        'Deployment shop/web: annotation reloader.stakater.com/search="true" finds nothing: no source that the pod template uses is annotated to match; annotate one with reloader.stakater.com/match: "true"',
      ],
    ],
  },
  {
    title: 'a search whose match is not used, which is not revealed',
    applied: { metadata: { [keys.search]: 'true' } },
    sources: [source('ConfigMap', 'common', { match: true })],
    says: [
      [
        'no-match',
        'Deployment shop/web: annotation reloader.stakater.com/search="true" finds nothing: no source that the pod template uses is annotated to match; annotate one with reloader.stakater.com/match: "true"',
      ],
    ],
  },
  {
    title: 'a search whose match is ignored',
    applied: { metadata: { [keys.search]: 'true' } },
    sources: [source('ConfigMap', 'app', { match: true, ignore: true })],
    says: [
      [
        'no-match',
        'Deployment shop/web: annotation reloader.stakater.com/search="true" finds nothing: no source that the pod template uses is annotated to match; annotate one with reloader.stakater.com/match: "true"',
      ],
    ],
  },
  {
    title: 'a search with the keys of flags',
    applied: { metadata: { 'example.com/search': 'true' } },
    flags: { keys: { search: 'example.com/search', match: 'example.com/match' } },
    says: [
      [
        'no-match',
        'Deployment shop/web: annotation example.com/search="true" finds nothing: no source that the pod template uses is annotated to match; annotate one with example.com/match: "true"',
      ],
    ],
  },
  {
    title: 'all used sources, if there are none',
    applied: { metadata: { [keys.auto]: 'true' }, envFrom: [] },
    says: [
      [
        'nothing-used',
        'Deployment shop/web: annotation reloader.stakater.com/auto="true" has no effect: the pod template uses no ConfigMap or Secret; use one, or list names in configmap.reloader.stakater.com/reload',
      ],
    ],
  },
  {
    title: 'used Secrets, if there are none',
    applied: { metadata: { [keys.secretAuto]: 'true' }, envFrom: [usesConfigMap('app')] },
    says: [
      [
        'nothing-used',
        'Deployment shop/web: annotation secret.reloader.stakater.com/auto="true" has no effect: the pod template uses no Secret; use one, or list names in secret.reloader.stakater.com/reload',
      ],
    ],
  },
  {
    title: 'several of them together',
    applied: { metadata: { [keys.auto]: 'yes', [keys.secretReload]: 'gone' }, template: { 'reroll.dev/settle': '1s' } },
    says: [
      [
        'wrong-place',
        `Deployment shop/web: annotation reroll.dev/settle="1s" has no effect on a pod template; move it to the workload's own metadata`,
      ],
      [
        'bad-boolean',
        'Deployment shop/web: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
      ],
      [
        'no-such-source',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="gone" matches no Secret in shop now; check the name, or create it',
      ],
    ],
  },
];
