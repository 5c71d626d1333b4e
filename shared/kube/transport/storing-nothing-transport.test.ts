import { describe, expect, it } from '@jest/globals';
import type { HttpRequest, Transport } from '../transport';
import { storingNothingTransport } from './storing-nothing-transport';

const sent: string[] = [];
const inner: Transport = {
  send: ({ method, path }) => {
    sent.push(`${method} ${path}`);
    return Promise.resolve({ status: 200, headers: {}, body: (async function* () {})() });
  },
};
const send = async (method: HttpRequest['method'], path: string) =>
  await storingNothingTransport(inner).send({ method, path, headers: {}, pool: 'request' });

describe('storingNothingTransport', () => {
  it.each<[HttpRequest['method'], string]>([
    ['GET', '/api/v1/pods'],
    ['POST', '/api/v1/namespaces/shop/configmaps?fieldManager=reroll&dryRun=All'],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  ])('sends %s %s', async (method, path) => {
    expect((await send(method, path)).status).toBe(200);
    expect(sent).toContain(`${method} ${path}`);
  });

  it.each<[HttpRequest['method'], string]>([
    ['POST', '/api/v1/namespaces/shop/configmaps'],
    ['POST', '/api/v1/namespaces/shop/configmaps?dryRun=None'],
    ['POST', '/api/v1/namespaces/shop/configmaps?fieldManager=dryRun=All'],
    ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web'],
    ['DELETE', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'],
  ])('does not send %s %s', async (method, path) => {
    await expect(send(method, path)).rejects.toThrow(`${method} is not sent`);
    expect(sent).not.toContain(`${method} ${path}`);
  });
});
