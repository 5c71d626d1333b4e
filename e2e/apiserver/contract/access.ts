import { describe, expect, it } from '@jest/globals';
import { secret } from '../cluster';
import { objectAt, stringAt } from '../json';
import type { ContractContext } from './contract';
import { type Answer, ContractClient } from './contract-client';

/** Reviews of a user's own access, and that the server enforces what they report. */
export function accessContract(context: () => ContractContext): void {
  describe('a review of own access', () => {
    const ask = async (client: ContractClient): Promise<Answer> =>
      await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { verb: 'create', group: '', resource: 'secrets', namespace: context().namespace },
        },
      });

    it('201: allowed, to who may', async () => {
      const { client, namespace, path } = context();
      const answer = await ask(client);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
      expect((await client.post(path('v1', 'secrets'), secret({ name: 's', namespace }))).status).toBe(201);
    });

    it('201: not allowed and without a doubt, to who may do nothing; he is refused', async () => {
      const { server, namespace, path } = context();
      const nobody = new ContractClient(server.withoutRights);
      const answer = await ask(nobody);
      expect(answer.status).toBe(201);
      const status = objectAt(answer.body, 'status');
      expect(status['allowed']).toBe(false);
      expect(status).not.toHaveProperty('evaluationError');
      expect(stringAt(status, 'reason') ?? '').not.toMatch(/^RBAC: /m);
      const refused = await nobody.post(path('v1', 'secrets'), secret({ name: 's', namespace }));
      expect(refused.status).toBe(403);
      expect(stringAt(refused.body, 'message')).toContain('cannot create resource "secrets" in API group ""');
    });

    it('403: who may do nothing is refused before the server looks whether it has such a resource', async () => {
      const { client, server, namespace } = context();
      const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts`;
      expect((await client.get(path)).status).toBe(404);
      const refused = await new ContractClient(server.withoutRights).get(path);
      expect(refused.status).toBe(403);
      expect(stringAt(refused.body, 'message')).toMatch(
        /^rollouts\.argoproj\.io is forbidden: .* cannot list resource "rollouts" in API group "argoproj\.io" in the namespace /,
      );
    });

    it('200 or 404: everybody may ask which resources are served', async () => {
      const nobody = new ContractClient(context().server.withoutRights);
      expect((await nobody.get('/apis/apps/v1')).status).toBe(200);
      expect((await nobody.get('/apis/argoproj.io/v1alpha1')).status).toBe(404);
    });

    it('200: everybody may ask whether the server is ready', async () => {
      const answer = await new ContractClient(context().server.withoutRights).get('/readyz');
      expect(answer.status).toBe(200);
      expect(answer.bytes.toString()).toBe('ok');
    });
  });
}
