import { expect, it } from '@jest/globals';
import { parseAdmissionReview } from './admission-review';
import { bytes, review } from './review.fixture';
import { readsWarnings } from './warned-users';

function reads(username: string | undefined, fieldManager?: string): boolean {
  const options = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', ...(fieldManager && { fieldManager }) };
  const userInfo = { ...(username !== undefined && { username }) };
  return readsWarnings(parseAdmissionReview(bytes(review({ userInfo, options })))!.request!);
}

it.each([
  ['alice', undefined, true],
  ['alice@example.com', 'kubectl-edit', true],
  ['oidc:alice', 'argocd-controller', true],
  ['kubernetes-admin', undefined, true],
  ['system:admin', undefined, true],
  ['system:serviceaccount:ci:deployer', 'kubectl-client-side-apply', true],
  ['system:serviceaccount:ci:deployer', 'kubectl', true],
  ['system:serviceaccount:ci:deployer', 'helm', true],
  ['system:serviceaccount:ci:deployer', 'Terraform', true],
  ['system:serviceaccount:argocd:argocd-application-controller', 'argocd-controller', false],
  ['system:serviceaccount:flux-system:helm-controller', 'helm-controller', false],
  ['system:serviceaccount:flux-system:kustomize-controller', 'kustomize-controller', false],
  ['system:serviceaccount:operators:etcd', undefined, false],
  ['system:serviceaccount:kube-system:deployment-controller', 'kube-controller-manager', false],
  ['system:serviceaccount:kube-system:admin', 'kubectl', false],
  ['system:kube-controller-manager', 'kube-controller-manager', false],
  ['system:kube-scheduler', undefined, false],
  ['system:node:a', 'kubelet', false],
  ['system:anonymous', undefined, false],
  ['', undefined, false],
  [undefined, 'kubectl', false],
])('%s by %s: %s', (username, fieldManager, expected) => expect(reads(username, fieldManager)).toBe(expected));

it('uses managedFields if the request names no field manager', () => {
  const managedFields = [{ manager: 'kubectl-create', time: '2026-01-01T00:00:00Z' }];
  const object = { metadata: { name: 'web', managedFields } };
  const userInfo = { username: 'system:serviceaccount:ci:deployer' };
  const { request } = parseAdmissionReview(bytes(review({ userInfo, options: null, object })))!;
  expect(readsWarnings(request!)).toBe(true);
});
