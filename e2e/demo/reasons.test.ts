import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, seed } from '../apiserver/cluster';
import type { KubeObject } from '../apiserver/objects';
import { seededRandom } from '../apiserver/seeded-random';
import { keysTold, whyLeftAlone, whyRestarted } from './reasons';
import { namespace } from './shop';

const source = { kind: 'ConfigMap', name: 'app-config' } as const;
const auto = { 'reloader.stakater.com/auto': 'true' };
let server: ApiServer;

beforeEach(() => {
  server = new ApiServer({ clock: new FakeClock(), random: seededRandom(1) });
  seed(server, configMap({ name: source.name, namespace, data: { color: 'red' } }));
});

function web(annotations: Readonly<Record<string, string>>): KubeObject {
  return seed(server, deployment({ name: 'web', namespace, annotations, envFrom: [fromConfigMap(source.name)] }))[0]!;
}

describe('why a workload was left alone', () => {
  it('in the words of the reconciler, where it spoke', () => {
    const line = {
      level: 'info',
      message: 'Deployment shop/web not restarted',
      because: ['ConfigMap app-config: same'],
    };
    expect(whyLeftAlone(web(auto), source, [line])).toBe('ConfigMap app-config: same');
  });

  it.each([
    ['not opted in', {}, 'nothing on the workload asks for restarts from this source'],
    [
      'excluded',
      { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app-config' },
      "the workload's exclude list names the source",
    ],
    ['a process that died before it spoke', auto, 'not told: the process ended before it could'],
  ])('by the code of the reconciler, where it did not: %s', (_what, annotations, reason) => {
    const other = { level: 'info', message: 'Deployment shop/api not restarted', because: ['of another'] };
    expect(whyLeftAlone(web(annotations), source, [other])).toBe(reason);
  });
});

describe('why a workload was restarted', () => {
  it('in the words of its newest restart', () => {
    const lines = ['first', 'second'].map((because) => ({
      level: 'info',
      message: 'Deployment shop/web restarted',
      restartId: because,
      because: [because],
    }));
    expect(whyRestarted('Deployment web', lines)).toBe('second');
  });

  it('is unknown where nobody said it', () => {
    const line = { level: 'info', message: 'Deployment shop/web: baseline recorded; nothing restarted' };
    expect(whyRestarted('Deployment web', [line])).toBeUndefined();
  });
});

describe('the keys that the last restart names', () => {
  const told = (sources: object) =>
    keysTold(web({ 'reroll.dev/last-restart': JSON.stringify({ at: '', id: 'x', sources }) }), source);

  it.each([
    ['known', { 'cm/app-config': ['color'] }, ['color']],
    ['not known', { 'cm/app-config': null }, null],
    ['of another source', { 'cm/other': ['color'] }, undefined],
  ])('%s', (_what, sources, keys) => expect(told(sources)).toEqual(keys));

  it('there is none before the first restart', () => expect(keysTold(web({}), source)).toBeUndefined());
});
