import { describe, expect, it } from '@jest/globals';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, seed } from '../apiserver/cluster';
import { withValueAt, type JsonObject } from '../apiserver/json';
import { writeBy } from '../apiserver/registry';
import { seededRandom } from '../apiserver/seeded-random';
import { baselineAnnotation } from './baseline-text';
import { checkLaterTerm } from './later-term';
import { Loop } from './loop';
import { plainRules, type Rules } from './rules';
import { sourceLabel } from './selection';
import { ignoreAnnotation } from './source-flags';

type Change = (object: JsonObject) => JsonObject;

const annotated =
  (text: string): Change =>
  (object) =>
    withValueAt(object, ['metadata', 'annotations', baselineAnnotation], text);
const restarted: Change = (object) =>
  withValueAt(object, ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'], 'now');
const recorded = annotated('{"v":1,"n":1,"key":"k","sources":{"cm/app":"-"}}');
/** A baseline that also records that the other source does not exist. */
const withDb = annotated('{"v":1,"n":2,"key":"k","sources":{"cm/app":"-","cm/db":"-"}}');
const recordedAgain = annotated('{"v":1,"n":2,"key":"k","sources":{"cm/app":"-"}}');

/** What the judge finds if a process of the next day makes these changes to one Deployment. */
async function found(
  user: string,
  changes: readonly Change[],
  comesUp = true,
  before: (server: ApiServer, loop: Loop) => Promise<void> = async () => undefined,
  rules: Rules = plainRules,
): Promise<readonly string[]> {
  const random = seededRandom(1);
  const loop = new Loop(random);
  const server = new ApiServer({ clock: loop, random });
  seed(server, deployment({ name: 'web' }));
  await before(server, loop);
  let isUp = false;
  const begin = async (): Promise<void> => {
    isUp = comesUp;
    for (const change of changes) {
      const update = (object: JsonObject): { readonly object: JsonObject } => ({ object: change(object) });
      await server.registry.update(writeBy(user, user, 'patch'), server.kindOf('Deployment'), 'default', 'web', update);
    }
  };
  const crashAll = (downMs: number): void => void loop.timer(downMs, () => void begin());
  const violations = await checkLaterTerm({ loop, server, crashAll, isUp: () => isUp, rules });
  return violations.map(({ promise }) => promise);
}

describe('the judge, for processes that start a day later', () => {
  it.each([
    ['accepts that they write nothing', [], []],
    ['accepts the first baseline of a workload that no process had seen', [recorded], []],
    ['reports a second baseline', [recorded, recordedAgain], ['left lying']],
    ['reports a restart', [restarted], ['left lying']],
  ] as const)('%s', async (_what, changes, promises) => {
    expect(await found('engine-0-2', changes)).toEqual(promises);
  });

  it.each([
    ['accepts it if the source was ignored until its deletion', { [ignoreAnnotation]: 'true' }, undefined, []],
    ['accepts it if the source was ignored until just before its deletion', { [ignoreAnnotation]: 'true' }, 60_000, []],
    [
      'reports it if the source was ignored only until long before its deletion',
      { [ignoreAnnotation]: 'true' },
      120_000,
      ['left lying'],
    ],
    ['reports it if the source was never ignored', {}, undefined, ['left lying']],
  ])('for a record that a source is absent, %s', async (_what, annotations, heededForMs, promises) => {
    const before = async (server: ApiServer, loop: Loop): Promise<void> => {
      seed(server, configMap({ name: 'db', annotations, data: {} }));
      const { registry } = server;
      if (heededForMs !== undefined) {
        const heed = (object: JsonObject) => ({ object: withValueAt(object, ['metadata', 'annotations'], {}) });
        await registry.update(writeBy('alice', 'alice', 'patch'), server.kindOf('ConfigMap'), 'default', 'db', heed);
        await loop.runUntil(loop.monotonicMs() + heededForMs);
      }
      await registry.delete(writeBy('alice', 'alice', 'delete'), server.kindOf('ConfigMap'), 'default', 'db', {});
      const update = (object: JsonObject): { readonly object: JsonObject } => ({ object: recorded(object) });
      const context = writeBy('engine-0-1', 'reroll', 'patch');
      await registry.update(context, server.kindOf('Deployment'), 'default', 'web', update);
    };
    expect(await found('engine-0-2', [withDb], true, before)).toEqual(promises);
  });

  it.each([
    ['accepts it if the source was ignored', { [ignoreAnnotation]: 'true' }, [], []],
    ['reports it if the source was not ignored', {}, [], ['left lying']],
    [
      'reports it if the source has the label after the restore',
      { [ignoreAnnotation]: 'true' },
      [sourceLabel],
      ['left lying'],
    ],
  ])(
    'for a record that a source is absent whose label a restore of etcd undid, %s',
    async (_what, annotations, labels, promises) => {
      const before = async (server: ApiServer): Promise<void> => {
        seed(server, configMap({ name: 'db', annotations, labels: Object.fromEntries(labels), data: {} }));
        const { registry } = server;
        const record = (object: JsonObject): { readonly object: JsonObject } => ({ object: recorded(object) });
        const context = writeBy('engine-0-1', 'reroll', 'patch');
        await registry.update(context, server.kindOf('Deployment'), 'default', 'web', record);
        const backup = server.store.revision;
        const select = (object: JsonObject): { readonly object: JsonObject } => ({
          object: withValueAt(object, ['metadata', 'labels'], Object.fromEntries([sourceLabel])),
        });
        await registry.update(writeBy('alice', 'alice', 'patch'), server.kindOf('ConfigMap'), 'default', 'db', select);
        server.restore(backup);
      };
      expect(await found('engine-0-2', [withDb], true, before, { ...plainRules, selectsSources: true })).toEqual(
        promises,
      );
    },
  );

  it('ignores the writes of users', async () => {
    expect(await found('alice', [restarted])).toEqual([]);
  });

  it('reports that no process came up', async () => {
    expect(await found('engine-0-2', [], false)).toEqual(['left lying']);
  });
});
