import { describe, expect, it } from '@jest/globals';
import { continueToken, parseInspectionQuestion } from './inspection-question';

const everything = { about: 'workloads', namespace: undefined, limit: 500, after: undefined };
const token = continueToken('Deployment/shop/web');

describe('parseInspectionQuestion', () => {
  it.each<[string, object]>([
    ['/v1/health', { about: 'health' }],
    ['/v1/health?verbose', { about: 'health' }],
    ['/v1/workloads', everything],
    ['/v1/workloads?namespace=&limit=&continue=', everything],
    ['/v1/workloads?namespace=shop&limit=20', { ...everything, namespace: 'shop', limit: 20 }],
    ['/v1/workloads?limit=1', { ...everything, limit: 1 }],
    ['/v1/workloads?limit=500', everything],
    ['/v1/workloads?limit=2000', { ...everything, limit: 2_000 }],
    [`/v1/workloads?continue=${token}`, { ...everything, after: 'Deployment/shop/web' }],
    ['/v1/workloads/Deployment/shop/web', { about: 'workload', kind: 'Deployment', namespace: 'shop', name: 'web' }],
    ['/v1/workloads/cronjob/shop/a.b-1', { about: 'workload', kind: 'CronJob', namespace: 'shop', name: 'a.b-1' }],
    ['/v1/sources/configmap/shop/app', { about: 'source', kind: 'ConfigMap', namespace: 'shop', name: 'app' }],
    [
      '/v1/sources/SecretProviderClass/shop/vault',
      { about: 'source', kind: 'SecretProviderClass', namespace: 'shop', name: 'vault' },
    ],
  ])('reads %s', (url, question) => {
    expect(parseInspectionQuestion(url)).toEqual(question);
  });

  it.each(['', '/', '/v1', '/v1/', '/v2/health', 'v1/health', '/v1/health/', '/v1/sources', '/v1/pods/Pod/shop/web'])(
    'has no such path: %j',
    (url) => {
      expect(parseInspectionQuestion(url)).toMatchObject({
        code: 'no-such-path',
        message: expect.stringContaining('/v1/'),
      });
    },
  );

  it.each(['/v1/workloads/Deployment', '/v1/workloads/Deployment/shop', '/v1/workloads/Deployment/shop/web/x'])(
    'has no such path either: %s',
    (url) => {
      expect(parseInspectionQuestion(url)).toMatchObject({ code: 'no-such-path' });
    },
  );

  it.each([
    ['/v1/workloads/Pod/shop/web', 'there is no such kind of workload: use Deployment, StatefulSet'],
    ['/v1/workloads/ConfigMap/shop/app', 'there is no such kind of workload'],
    ['/v1/sources/Deployment/shop/web', 'there is no such kind of source: use ConfigMap, Secret'],
    ['/v1/sources/Secret/shop/..', 'names of objects'],
    ['/v1/sources/Secret//db', 'names of objects'],
    ['/v1/sources/Secret/shop/%2e%2e', 'names of objects'],
    [`/v1/sources/Secret/shop/${'a'.repeat(254)}`, 'names of objects'],
    ['/v1/workloads?limit=0', 'limit must be a whole number from 1 to 2000'],
    ['/v1/workloads?limit=2001', 'from 1 to 2000'],
    ['/v1/workloads?limit=-1', 'from 1 to 2000'],
    ['/v1/workloads?limit=1e2', 'from 1 to 2000'],
    ['/v1/history?limit=501', 'limit must be a whole number from 1 to 500'],
    ['/v1/workloads?namespace=a/b', 'the name of a namespace'],
    ['/v1/workloads?name=web', 'and no other'],
    ['/v1/workloads?continue=Deployment/shop/web', 'the token of an earlier page'],
    [`/v1/workloads?continue=${continueToken('nonsense')}`, 'the token of an earlier page'],
    [`/v1/workloads?continue=${token}%3D`, 'the token of an earlier page'],
  ])('refuses %s', (url, message) => {
    expect(parseInspectionQuestion(url)).toEqual({ code: 'bad-request', message: expect.stringContaining(message) });
  });
});
