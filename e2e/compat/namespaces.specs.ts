import { setTimeout as delay } from 'node:timers/promises';
import { fromConfigMap, fromSecret } from '../apiserver/cluster';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, settings } from './workloads';

type Labels = Readonly<Record<string, string>>;

const uses = { annotations: auto, envFrom: [fromConfigMap('app'), fromSecret('db')] };

const editBoth = async (place: Place): Promise<void> => {
  await place.edit('ConfigMap', 'app');
  await place.edit('Secret', 'db');
};

/** Every kind in one namespace: a selection holds for all kinds. */
function everyKind(title: string, times: 0 | 1, labels: Labels = {}): Spec {
  return {
    title: `§10 ${title}: ${times === 0 ? 'nothing restarts' : 'all kinds restart'}`,
    labels,
    objects: [settings(), credentials('db'), ...idleKinds.map((kind) => idle[kind]({ name: 'web', ...uses }))],
    act: editBoth,
    restarts: Object.fromEntries(idleKinds.map((kind) => [`${kind}/web`, times])),
  };
}

/** One Deployment, whose namespace may gain or lose the label while the reconciler runs. */
function labelled(title: string, labels: Labels, act: (place: Place) => Promise<void>, times: number): Spec {
  return {
    title: `§10.2 ${title}`,
    labels,
    objects: [settings(), credentials('db'), idle.Deployment({ name: 'web', ...uses })],
    act,
    restarts: { 'Deployment/web': times },
    unrecorded: true,
  };
}

const prod = { env: 'prod' };
const web = 'Deployment/web';

const gainsAndLosses: readonly Spec[] = [
  labelled(
    'a namespace that gains the label: what changed before restarts nothing, what changes after does',
    { env: 'dev' },
    async (place) => {
      await editBoth(place);
      // The order of two writes within one second is unknown, and in doubt Reroll restarts.
      await delay(1_500);
      await place.label(prod);
      await place.recorded(web);
      await place.edit('ConfigMap', 'app', 'third');
    },
    1,
  ),
  labelled(
    'a namespace that loses the label: nothing restarts from then on',
    prod,
    async (place) => {
      await place.recorded(web);
      await place.label({ env: null });
      await place.until('the selection to follow', () => place.says(`${place.namespace} is no longer selected`));
      await editBoth(place);
    },
    0,
  ),
  labelled('a namespace that never has it', {}, editBoth, 0),
];

/** §10.3: the terms of one selector. For each term, one namespace violates it. */
const terms: readonly Spec[] = [
  everyKind('all terms hold', 1, { env: 'prod', tier: 'web', stage: 'live' }),
  everyKind('another value that the set has', 1, { env: 'dev', tier: 'api', stage: 'live' }),
  everyKind('a key that has to be there is not', 0, { tier: 'web', stage: 'live' }),
  everyKind('a value that is not in the set', 0, { env: 'prod', tier: 'db', stage: 'live' }),
  everyKind('a key that must not be there', 0, { env: 'prod', tier: 'web', stage: 'live', canary: '' }),
  everyKind('a value that it must not have', 0, { env: 'prod', tier: 'web', stage: 'test' }),
];

interface SourceStory {
  readonly what: string;
  readonly labels: Labels;
  readonly act: (place: Place, kind: 'ConfigMap' | 'Secret') => Promise<void>;
  readonly times: number;
}

const relabel = async (place: Place, kind: 'ConfigMap' | 'Secret', reload: string | null): Promise<void> =>
  await place.patch(kind, 'app', { metadata: { labels: { reload } } });

const selectedSources: readonly SourceStory[] = [
  {
    what: 'with the label',
    labels: { reload: 'yes' },
    act: async (place, kind) => await place.edit(kind, 'app'),
    times: 1,
  },
  { what: 'without it', labels: {}, act: async (place, kind) => await place.edit(kind, 'app'), times: 0 },
  {
    what: 'with another value',
    labels: { reload: 'no' },
    act: async (place, kind) => await place.edit(kind, 'app'),
    times: 0,
  },
  { what: 'that gains it (Q35)', labels: {}, act: async (place, kind) => await relabel(place, kind, 'yes'), times: 0 },
  {
    what: 'that loses it (Q35)',
    labels: { reload: 'yes' },
    act: async (place, kind) => await relabel(place, kind, null),
    times: 0,
  },
  {
    what: 'that loses it and is changed',
    labels: { reload: 'yes' },
    act: async (place, kind) => {
      await relabel(place, kind, null);
      await place.edit(kind, 'app');
    },
    times: 0,
  },
];

function ofSource({ what, labels, act, times }: SourceStory): readonly Spec[] {
  return (['ConfigMap', 'Secret'] as const).map((kind) => ({
    title: `§10.3 --resource-label-selector, a ${kind} ${what}`,
    objects: [
      kind === 'Secret' ? credentials('app', { labels }) : settings('app', { labels }),
      idle.Deployment({
        ...{ name: 'web', annotations: auto },
        envFrom: [kind === 'Secret' ? fromSecret('app') : fromConfigMap('app')],
      }),
    ],
    act: async (place) => await act(place, kind),
    restarts: { [web]: times },
  }));
}

const jobs = ['Job', 'CronJob'] as const;
const rest = idleKinds.filter((kind) => kind !== 'Job' && kind !== 'CronJob');

/** §10: which namespaces, sources and workloads count. */
export const namespaces: readonly Group[] = [
  {
    name: 'scoped',
    flags: ['--namespaces=scoped-0,scoped-last'],
    ownNamespaces: true,
    specs: [everyKind('--namespaces: one of them', 1), everyKind('--namespaces: another one', 0)],
  },
  {
    name: 'scoped-filters',
    flags: [
      '--namespaces=scoped-filters-0,scoped-filters-last',
      '--namespaces-to-ignore=scoped-filters-0',
      '--namespace-selector=no=such',
    ],
    ownNamespaces: true,
    specs: [everyKind('--namespaces: filters of the whole cluster do not count beside it', 1)],
  },
  {
    name: 'single',
    flags: [],
    env: { KUBERNETES_NAMESPACE: 'single-last' },
    ownNamespaces: true,
    specs: [everyKind('KUBERNETES_NAMESPACE: another one', 0)],
  },
  {
    name: 'ignored',
    flags: ['--namespaces-to-ignore=ignored-1,ignored'],
    specs: [
      everyKind('--namespaces-to-ignore: a name is no prefix', 1),
      everyKind('--namespaces-to-ignore: one of them', 0),
    ],
  },
  {
    name: 'selected',
    flags: ['--namespace-selector=env:prod'],
    labels: prod,
    specs: [
      everyKind('--namespace-selector=env:prod: with the label', 1, prod),
      everyKind('--namespace-selector=env:prod: with another value', 0, { env: 'dev' }),
      ...gainsAndLosses,
    ],
  },
  {
    name: 'terms',
    flags: ['--namespace-selector=env:*,tier in (web,api),!canary', '--namespace-selector=stage!=test'],
    labels: { env: 'prod', tier: 'web', stage: 'live' },
    specs: terms,
  },
  {
    name: 'labelled-sources',
    flags: ['--resource-label-selector=reload=yes'],
    sourceLabels: { reload: 'yes' },
    specs: selectedSources.flatMap(ofSource),
  },
  {
    name: 'labelled-sources-events',
    flags: ['--resource-label-selector=reload:yes', '--reload-on-create=true', '--reload-on-delete=true'],
    sourceLabels: { reload: 'yes' },
    specs: selectedSources
      .filter(({ what }) => what.includes('(Q35)'))
      .flatMap((story) => ofSource({ ...story, what: `${story.what}, with --reload-on-create and -delete`, times: 1 })),
  },
  {
    name: 'ignored-types',
    flags: ['--ignored-workload-types=jobs,cronjobs'],
    specs: [...jobs.map((kind) => [kind, 0] as const), ...rest.map((kind) => [kind, 1] as const)].map(
      ([kind, times]) => ({
        title: `§10 --ignored-workload-types=jobs,cronjobs: a ${kind} is ${times === 0 ? 'left alone' : 'restarted'}`,
        objects: [settings(), credentials('db'), idle[kind]({ name: 'web', ...uses })],
        act: editBoth,
        restarts: { [`${kind}/web`]: times },
      }),
    ),
  },
];
