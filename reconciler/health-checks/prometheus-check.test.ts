import { describe, expect, it } from '@jest/globals';
import type { GetAnswer, GetRequest } from '../../shared/outbound/http-get';
import { PrometheusCheck } from './prometheus-check';

const forever = new AbortController().signal;
const sample = { metric: { job: 'web' }, value: [1_764_000_000, '0'] };

async function ask(answer: Partial<GetAnswer>, base = 'http://prometheus.monitoring:9090') {
  const sent: GetRequest[] = [];
  const check = new PrometheusCheck({
    ...{ url: new URL(base), timeoutMs: 5_000 },
    get: async (request) => {
      sent.push(request);
      return await Promise.resolve({ status: 200, body: '', ...answer });
    },
  });
  return { answer: await check.ask({ promQl: 'up{job="web"} == 1' }, forever), sent };
}

function success(resultType: string, result: unknown): string {
  return JSON.stringify({ status: 'success', data: { resultType, result } });
}

describe('PrometheusCheck', () => {
  it.each([
    ['http://prometheus.monitoring:9090', 'http', 'prometheus.monitoring', 9090, '/api/v1/query'],
    ['https://metrics.example/tenant/', 'https', 'metrics.example', 443, '/tenant/api/v1/query'],
    ['http://[fd00::1]', 'http', 'fd00::1', 80, '/api/v1/query'],
  ])('asks %s for one sample, in time', async (base, protocol, host, port, path) => {
    const { sent } = await ask({}, base);
    const query = '?query=up%7Bjob%3D%22web%22%7D+%3D%3D+1&timeout=5000ms&limit=1';
    expect(sent).toEqual([{ protocol, host, port, path: path + query, headers: {}, maxBodyBytes: 65_536 }]);
  });

  it('sends name and password of the address as a header, and its parameters', async () => {
    const { sent } = await ask({}, 'https://me:s3cret@metrics.example/?dedup=true&query=1');
    const authorization = `Basic ${Buffer.from('me:s3cret').toString('base64')}`;
    expect(sent).toMatchObject([{ headers: { authorization } }]);
    expect(sent[0]?.path).toMatch(/^\/api\/v1\/query\?dedup=true&query=up%7B/);
    expect(sent[0]?.path).not.toContain('s3cret');
  });

  it.each([
    ['a sample', success('vector', [sample])],
    ['several', success('vector', [sample, sample])],
    ['a number', success('scalar', [1_764_000_000, '1'])],
    ['a negative number', success('scalar', [1_764_000_000.5, '-0.5'])],
    ['infinity', success('scalar', [1_764_000_000, '+Inf'])],
    [
      'a sample with warnings',
      JSON.stringify({ status: 'success', warnings: ['limited'], data: { resultType: 'vector', result: [sample] } }),
    ],
  ])('passes with %s', async (_what, body) => {
    expect((await ask({ body })).answer).toEqual({ result: 'passed' });
  });

  const neither = 'Prometheus answers with neither a vector nor a scalar';

  it.each([
    ['no sample', { body: success('vector', []) }, 'failed', 'the result is empty'],
    ['0', { body: success('scalar', [1, '0']) }, 'failed', 'the result is 0'],
    ['a quotient of nothing', { body: success('scalar', [1, 'NaN']) }, 'failed', 'the result is NaN'],
    ['a range', { body: success('matrix', [sample]) }, 'unanswered', neither],
    ['a text', { body: success('string', [1, 's3cret']) }, 'unanswered', neither],
    ['an error', { body: JSON.stringify({ status: 'error', error: 's3cret' }) }, 'unanswered', neither],
    ['HTML', { body: '<html>s3cret' }, 'unanswered', neither],
    ['nothing', { body: '' }, 'unanswered', neither],
    ['an empty object', { body: '{}' }, 'unanswered', neither],
    ['another prototype', { body: '{"__proto__":{"status":"success"}}' }, 'unanswered', neither],
    ['a vector that is none', { body: success('vector', { length: 1 }) }, 'unanswered', neither],
    [
      'a query that cannot be read',
      { status: 400, body: JSON.stringify({ error: 's3cret' }) },
      'unanswered',
      'Prometheus answers with status 400',
    ],
    ['a redirect', { status: 302 }, 'unanswered', 'Prometheus answers with status 302'],
  ])('does not pass with %s', async (_what, given, result, why) => {
    expect((await ask(given)).answer).toEqual({ result, why });
  });
});
