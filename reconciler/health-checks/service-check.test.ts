import { beforeEach, describe, expect, it } from '@jest/globals';
import { parseHealthyUrl } from '../../shared/domain/gate-settings/health-check';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { GetError, type GetRequest } from '../../shared/outbound/http-get';
import { ServiceCheck } from './service-check';

const forever = new AbortController().signal;
const spec = {
  ...{ type: 'ClusterIP', clusterIP: '10.96.0.7', selector: { app: 'web' } },
  ports: [{ port: 80 }, { port: 8443 }],
};

let sent: GetRequest[];
let status: number | Error;
let service: Reply;
let apiPaths: string[];

beforeEach(() => {
  [sent, status, apiPaths] = [[], 200, []];
  serve(spec);
});

function serve(given: object): void {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' };
  service = { body: { apiVersion: 'v1', kind: 'Service', metadata, spec: given } };
}

async function ask(text: string, namespace = 'shop'): Promise<object> {
  const { client } = clientWorld(({ path }) => {
    apiPaths.push(path);
    return service;
  });
  const check = new ServiceCheck({
    client,
    get: async (request) => {
      sent.push(request);
      if (status instanceof Error) throw status;
      return await Promise.resolve({ status, body: '' });
    },
  });
  const url = parseHealthyUrl(text);
  if (!url) throw new Error(`${text} is not the URL of a Service`);
  return await check.ask(url, namespace, forever);
}

describe('ServiceCheck', () => {
  it.each([
    ['http://web/healthz', 'http', 80],
    ['https://web.shop.svc:8443/healthz', 'https', 8443],
  ])('calls the cluster IP of the Service in %s, and resolves no name', async (text, protocol, port) => {
    expect(await ask(text)).toEqual({ result: 'passed' });
    expect(apiPaths).toEqual(['/api/v1/namespaces/shop/services/web']);
    expect(sent).toEqual([
      {
        ...{ protocol, host: '10.96.0.7', port, path: '/healthz', headers: { host: `web.shop.svc:${port}` } },
        ...{ maxBodyBytes: 0, anyCertificate: { serverName: 'web.shop.svc' } },
      },
    ]);
  });

  it('calls an IPv6 address, too', async () => {
    serve({ ...spec, clusterIP: 'fd00::7' });
    expect(await ask('http://web/')).toEqual({ result: 'passed' });
    expect(sent).toMatchObject([{ host: 'fd00::7' }]);
  });

  it.each([
    [199, 'failed'],
    [200, 'passed'],
    [204, 'passed'],
    [299, 'passed'],
    [302, 'failed'],
    [401, 'failed'],
    [500, 'failed'],
  ])('says of status %i that it has %s', async (given, result) => {
    status = given;
    expect(await ask('http://web/')).toEqual({ result, ...(result === 'failed' && { why: `status ${given}` }) });
  });

  it('leaves what the network says to its caller', async () => {
    status = new GetError('no answer (ECONNREFUSED)');
    await expect(ask('http://web/')).rejects.toThrow('no answer (ECONNREFUSED)');
  });

  it.each<[string, object, string]>([
    ['of type ExternalName', { type: 'ExternalName', externalName: 'kubernetes.default.svc' }, 'has no cluster IP'],
    ['of type ExternalName with an address', { ...spec, type: 'ExternalName' }, 'has no cluster IP'],
    ['without a head', { ...spec, clusterIP: 'None' }, 'has no cluster IP'],
    ['that has no address yet', { ...spec, clusterIP: undefined }, 'has no cluster IP'],
    ['with a name for its address', { ...spec, clusterIP: 'metadata.internal' }, 'has no cluster IP'],
    ['whose endpoints anybody may write', { ...spec, selector: undefined }, 'selects no pods'],
    ['that selects nothing', { ...spec, selector: {} }, 'selects no pods'],
    ['without that port', { ...spec, ports: [{ port: 81, targetPort: 80 }] }, 'has no port 80'],
    ['without ports', { ...spec, ports: undefined }, 'has no port 80'],
  ])('does not call a Service %s', async (_what, given, why) => {
    serve(given);
    expect(await ask('http://web/')).toEqual({ result: 'unanswered', why: `Service web ${why}` });
    expect(sent).toEqual([]);
  });

  it('asks for no Service of another namespace, even if it is its own name', async () => {
    expect(await ask('http://web.bank.svc/')).toEqual({
      ...{ result: 'unanswered', why: 'names a Service of another namespace' },
    });
    expect([apiPaths, sent]).toEqual([[], []]);
  });

  it.each<[Reply, string]>([
    [refusal(404, 'NotFound'), 'there is no Service web'],
    [refusal(403, 'Forbidden'), 'Reroll may not read Service web'],
    [refusal(400, 'BadRequest'), 'Service web cannot be read (KUBE_INVALID)'],
  ])('does not pass if the API server says %j', async (answer, why) => {
    service = answer;
    expect(await ask('http://web/')).toEqual({ result: 'unanswered', why });
    expect(sent).toEqual([]);
  });
});
