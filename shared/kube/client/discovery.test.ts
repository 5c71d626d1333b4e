import { describe, expect, it } from '@jest/globals';
import { clientWorld } from './client.fixture';
import { isServed } from './discovery';
import { ForbiddenError, ProtocolError } from '../errors';
import { refusal } from '../transport/fake-transport';

const rollouts = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts' };

describe('isServed', () => {
  it.each([
    [{ resources: [{ name: 'rollouts' }, { name: 'rollouts/status' }] }, true],
    [{ resources: [{ name: 'applications' }] }, false],
    [{ resources: [{ name: 'rollouts/status' }] }, false],
    [{ resources: null }, false],
    [{}, false],
  ])('%j says %s', async (body, served) => {
    const { client, transport } = clientWorld(() => ({ body }));
    expect(await isServed(client, rollouts)).toBe(served);
    expect(transport.requests.map(({ path }) => path)).toEqual(['/apis/argoproj.io/v1alpha1']);
  });

  it('treats an unknown group as not served', async () => {
    expect(await isServed(clientWorld(() => refusal(404, 'NotFound')).client, rollouts)).toBe(false);
  });

  it.each([
    [refusal(403, 'Forbidden'), ForbiddenError],
    [{ body: { resources: 'all' } }, ProtocolError],
  ])('does not accept %j as an answer', async (reply, error) => {
    await expect(isServed(clientWorld(() => reply).client, rollouts)).rejects.toThrow(error);
  });
});
