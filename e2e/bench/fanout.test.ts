import { expect, it } from '@jest/globals';
import { fanoutFigures, watchesAmong } from './fanout';
import { holds } from './result';

const ask = (verb: string) => ({ verb, resource: 'deployments', path: '', atMs: 0 });
const served = (seenMs: number) => ({ sentMs: 0, answeredMs: seenMs / 2, seenMs });

const run = {
  ...{ connections: 20, requests: [ask('patch'), ask('patch')] },
  ...{ alone: [served(4), served(5), served(6)], subject: { tookMs: 1_200, meanwhile: served(10) } },
  floor: { tookMs: 1_000, meanwhile: served(8) },
};
const slow = { ...run, connections: 25, requests: [ask('get')], subject: { tookMs: 3_000, meanwhile: served(50) } };

const tell = (...args: Parameters<typeof fanoutFigures>) =>
  Object.fromEntries(fanoutFigures(...args).map((figure) => [figure.name, [figure.value, holds(figure)]]));

it('holds every bar', () =>
  expect(tell([run, run], 5)).toEqual({
    'until the last new template': [1_200, undefined],
    'until the last new template, by the floor': [1_000, undefined],
    'until the last new template, in floors': [1.2, true],
    'LIST meanwhile, the most': [0, true],
    'GET meanwhile, the most': [0, true],
    'PATCH meanwhile, the most': [2, undefined],
    'connections beside watches, the most': [15, true],
    'latency of another source, alone': [5, undefined],
    'latency of another source, meanwhile': [10, undefined],
    'latency of another source, meanwhile in alone': [2, true],
    'write of another source, meanwhile in alone': [2, undefined],
    'latency of another source, meanwhile in alone, of the floor': [1.6, undefined],
  }));

it('takes the median of times, and the worst of what may never be', () =>
  expect(tell([run, slow, slow], 5)).toMatchObject({
    'until the last new template, in floors': [3, false],
    'GET meanwhile, the most': [1, false],
    'connections beside watches, the most': [20, false],
    'latency of another source, meanwhile in alone': [10, false],
  }));

it('promises nothing of connections that cannot be told apart', () =>
  expect(tell([run], undefined)).toMatchObject({ 'connections, watches among them, the most': [20, undefined] }));

it('counts a watch once however often it was asked for, and that of one object beside that of all', () => {
  const watch = (path: string) => ({ ...ask('watch'), path: `/api/v1/${path}` });
  const all = watch('configmaps?watch=true&timeoutSeconds=392');
  const again = watch('configmaps?watch=true&timeoutSeconds=439&resourceVersion=113');
  const one = watch('namespaces/reroll/configmaps?fieldSelector=metadata.name%3Dreroll-hold&watch=true');
  expect(watchesAmong([all, one, again, ask('list'), watch('secrets?watch=true')])).toBe(3);
});
