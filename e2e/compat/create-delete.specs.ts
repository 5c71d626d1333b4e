import { expect } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { fromConfigMap, fromSecret } from '../apiserver/cluster';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, idleKinds, markedBy, settings, type IdleKind } from './workloads';

type SourceKind = 'ConfigMap' | 'Secret';
const sourceKinds = ['ConfigMap', 'Secret'] as const;

const make = (kind: SourceKind, content = 'first') =>
  kind === 'Secret' ? credentials('app', { data: { key: content } }) : settings('app', { data: { key: content } });

/** A workload that may start without its source, as one that waits for it must. */
function user(kind: IdleKind, source: SourceKind) {
  const envFrom = [source === 'Secret' ? fromSecret('app', true) : fromConfigMap('app', true)];
  return idle[kind]({ name: 'web', annotations: auto, envFrom });
}

interface Story {
  readonly what: string;
  readonly before: boolean;
  readonly act: (place: Place, source: SourceKind) => Promise<void>;
}

const created: Story = {
  what: 'created',
  before: false,
  act: async (place, source) => await place.create(make(source)),
};

const deleted: Story = {
  what: 'deleted',
  before: true,
  act: async (place, source) => await place.delete(source, 'app'),
};

const anew = (content: string): Story => ({
  what: content === 'first' ? 'deleted and created anew as it was' : 'deleted and created anew with other content',
  before: true,
  act: async (place, source) => {
    await place.delete(source, 'app');
    await place.create(make(source, content));
  },
});

const changed: Story = {
  what: 'changed',
  before: true,
  act: async (place, source) => await place.edit(source, 'app'),
};

const edited: Story = {
  what: 'created and then changed',
  before: false,
  act: async (place, source) => {
    await place.create(make(source));
    await place.edit(source, 'app');
  },
};

function specOf(section: string, story: Story, source: SourceKind, kind: IdleKind, times: number): Spec {
  return {
    title: `§${section} ${kind}: a ${source} is ${story.what}: ${times === 0 ? 'no restart' : 'a restart'}`,
    objects: [...(story.before ? [make(source)] : []), user(kind, source)],
    act: async (place) => await story.act(place, source),
    restarts: { [`${kind}/web`]: times },
    judge: (place) => {
      const marker = `app STAKATER_APP_${source.toUpperCase()}`;
      expect(markedBy(place, `${kind}/web`)).toEqual(times === 0 ? [] : [marker]);
    },
  };
}

/** One spec for each kind of source and workload. */
function ofAll(section: string, story: Story, times: number, kinds: readonly IdleKind[] = idleKinds): readonly Spec[] {
  return kinds.flatMap((kind) => sourceKinds.map((source) => specOf(section, story, source, kind, times)));
}

const one: readonly IdleKind[] = ['Deployment'];

/** For creation and deletion, annotations decide what restarts, as for a change. */
function chosen(verb: 'create' | 'delete', strategy: string): readonly Spec[] {
  const story = verb === 'create' ? created : deleted;
  const withSource = (annotations: Record<string, string>) => settings('app', { annotations });
  const ignored = withSource({ 'reloader.stakater.com/ignore': 'true' });
  const matching = withSource({ 'reloader.stakater.com/match': 'true' });
  const act = (source: typeof ignored) => async (place: Place) =>
    verb === 'create' ? await place.create(source) : await story.act(place, 'ConfigMap');
  const uses = { envFrom: [fromConfigMap('app', true)] };
  const spec = (what: string, source: typeof ignored, annotations: Record<string, string>, times: number): Spec => ({
    title: `§7 ${strategy}, ${verb}: ${what}`,
    objects: [...(verb === 'delete' ? [source] : []), idle.Deployment({ name: 'web', annotations, ...uses })],
    act: act(source),
    restarts: { 'Deployment/web': times },
    // A workload that searches has nothing to record before a source matches.
    ...(verb === 'create' && { unrecorded: true }),
  });
  return [
    spec('an ignored source restarts nothing', ignored, auto, 0),
    spec('a matching source restarts who searches', matching, { 'reloader.stakater.com/search': 'true' }, 1),
    spec('a source without match does not', withSource({}), { 'reloader.stakater.com/search': 'true' }, 0),
    spec('a named source restarts', withSource({}), { 'configmap.reloader.stakater.com/reload': 'app' }, 1),
    spec('another name does not', withSource({}), { 'configmap.reloader.stakater.com/reload': 'other' }, 0),
    spec(
      'who opted in for Secrets alone is left alone',
      withSource({}),
      { 'secret.reloader.stakater.com/auto': 'true' },
      0,
    ),
  ];
}

const deletionUnderAnnotations: readonly Spec[] = sourceKinds.map((source) => ({
  ...specOf('7.3', deleted, source, 'Deployment', 1),
  title: `§7.3 annotations: the deletion of a ${source} is told by another hash`,
  judge: (place) => {
    const key = 'reloader.stakater.com/last-reloaded-from';
    const told = fieldAt(place.last('Deployment/web'), ['spec', 'template', 'metadata', 'annotations', key]);
    expect(JSON.parse(String(told))).toMatchObject({
      type: source.toUpperCase(),
      name: 'app',
      hash: expect.any(String),
    });
  },
}));

/** §7: create and delete events. */
export const createDelete: readonly Group[] = [
  {
    name: 'no-events',
    flags: [],
    specs: [
      ...ofAll('7.1', created, 0),
      ...ofAll('7.1', deleted, 0),
      ...ofAll('7.3', anew('first'), 0, one),
      ...ofAll('7.3', anew('second'), 1, one),
      ...ofAll('7.2', edited, 1, one),
    ],
  },
  {
    name: 'on-create',
    flags: ['--reload-on-create=true'],
    specs: [
      ...ofAll('7.2', created, 1),
      ...ofAll('7.1', deleted, 0, one),
      ...ofAll('7.2', edited, 1, one),
      ...chosen('create', 'env-vars'),
    ],
  },
  {
    name: 'on-delete',
    flags: ['--reload-on-delete=true'],
    specs: [...ofAll('7.3', deleted, 1), ...ofAll('7.1', created, 0, one), ...chosen('delete', 'env-vars')],
  },
  {
    name: 'on-delete-annotations',
    flags: ['--reload-on-delete=true', '--reload-on-create=true', '--reload-strategy=annotations'],
    specs: deletionUnderAnnotations,
  },
  {
    name: 'on-create-secrets-ignored',
    flags: ['--reload-on-create=true', '--reload-on-delete=true', '--resources-to-ignore=secrets'],
    specs: (
      [
        [created, 'ConfigMap', 1],
        [deleted, 'ConfigMap', 1],
        [changed, 'ConfigMap', 1],
        [created, 'Secret', 0],
        [deleted, 'Secret', 0],
        [changed, 'Secret', 0],
      ] as const
    ).map(([story, source, times]) => specOf('7.1 Q33, §10.4', story, source, 'Deployment', times)),
  },
  {
    name: 'config-maps-ignored',
    // The value is case-insensitive.
    flags: ['--resources-to-ignore=configMaps'],
    specs: [
      ...ofAll('10.4', { ...changed, what: 'changed, ConfigMaps are ignored' }, 0, one).filter(({ title }) =>
        title.includes('a ConfigMap is'),
      ),
      ...ofAll('10.4', { ...changed, what: 'changed, ConfigMaps are ignored' }, 1, one).filter(({ title }) =>
        title.includes('a Secret is'),
      ),
    ],
  },
  {
    name: 'sync',
    flags: ['--reload-on-create=true', '--sync-after-restart'],
    isKilled: true,
    specs: [
      {
        title: '§7.2 --sync-after-restart restarts nothing that has not changed, where Reloader restarts all',
        objects: [settings(), idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] })],
        act: async () => await Promise.resolve(),
        restarts: { 'Deployment/web': 0 },
      },
      {
        title: '§7.2 Q36 a change while it is down is found, once',
        objects: [settings(), idle.Deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] })],
        act: async (place) => await place.recorded('Deployment/web'),
        whileDown: async (place) => await place.edit('ConfigMap', 'app'),
        restarts: { 'Deployment/web': 1 },
      },
      {
        title: '§7.2 a creation while it is down is found, once',
        objects: [user('Deployment', 'Secret')],
        act: async (place) => await place.recorded('Deployment/web'),
        whileDown: async (place) => await place.create(credentials()),
        restarts: { 'Deployment/web': 1 },
      },
    ],
  },
];
