import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import type { LintRow } from './lint.fixture';

/** Unknown keys. */
export const nameRows: readonly LintRow[] = [
  {
    title: 'a key of Reroll with a typo',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/settel': '5s' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reroll.dev/settel is not known and has no effect; did you mean reroll.dev/settle?',
      ],
    ],
  },
  {
    title: 'a key of Reroll that resembles no other',
    applied: { metadata: { 'reroll.dev/owner': 'hunter2' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reroll.dev/owner is not known and has no effect; write one that is documented, or remove it',
      ],
    ],
  },
  {
    title: 'a plural that is singular',
    applied: { metadata: { 'configmaps.reloader.stakater.com/reload': 'app' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation configmaps.reloader.stakater.com/reload is not known and has no effect; did you mean configmap.reloader.stakater.com/reload?',
      ],
    ],
  },
  {
    title: 'a singular that is plural',
    applied: { metadata: { [keys.auto]: 'true', 'configmap.exclude.reloader.stakater.com/reload': 'app' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation configmap.exclude.reloader.stakater.com/reload is not known and has no effect; did you mean configmaps.exclude.reloader.stakater.com/reload?',
      ],
    ],
  },
  {
    title: 'a kind that is missing in the key',
    applied: { metadata: { 'reloader.stakater.com/reload': 'app' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reloader.stakater.com/reload is not known and has no effect; did you mean configmap.reloader.stakater.com/reload?',
      ],
    ],
  },
  {
    title: 'a kind that the key has not',
    applied: { metadata: { [keys.auto]: 'true', 'statefulset.reloader.stakater.com/pause-period': '5m' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation statefulset.reloader.stakater.com/pause-period is not known and has no effect; did you mean deployment.reloader.stakater.com/pause-period?',
      ],
    ],
  },
  {
    title: 'Reloader’s domain with a typo',
    applied: { metadata: { 'reloader.stakater.io/auto': 'true' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reloader.stakater.io/auto is not known and has no effect; did you mean reloader.stakater.com/auto?',
      ],
    ],
  },
  {
    title: 'an unknown key on the pod template',
    applied: { template: { 'reloader.stakater.com/autos': 'true' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reloader.stakater.com/autos is not known and has no effect; did you mean reloader.stakater.com/auto?',
      ],
    ],
  },
  {
    title: 'two swapped letters',
    applied: { metadata: { 'reloader.stakater.com/atuo': 'true' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reloader.stakater.com/atuo is not known and has no effect; did you mean reloader.stakater.com/auto?',
      ],
    ],
  },
  {
    title: 'a typo in a key set by a flag',
    applied: { metadata: { 'example.com/restrat': 'true' } },
    flags: { keys: { auto: 'example.com/restart' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation example.com/restrat is not known and has no effect; did you mean example.com/restart?',
      ],
    ],
  },
  {
    title: 'a key of Reloader that is a typo of a flag’s',
    applied: { metadata: { 'reloader.stakater.com/atuo': 'true' } },
    flags: { keys: { auto: 'example.com/restart' } },
    says: [
      [
        'unknown-annotation',
        'Deployment shop/web: annotation reloader.stakater.com/atuo is not known and has no effect; write one that is documented, or remove it',
      ],
    ],
  },
];
