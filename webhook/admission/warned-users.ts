import { type AdmissionRequest, fieldManagerOf } from './admission-review';

const accountPrefix = 'system:serviceaccount:';
const systemAccountPrefix = 'system:serviceaccount:kube-system:';

/** Field managers of tools that print warnings, for a person or into a pipeline's log. */
const peoplesTools = /^(?:kubectl(?:-.*)?|oc|helm|k9s|Terraform|OpenTofu|pulumi-kubernetes.*)$/;

/** A program in the cluster, or a pipeline. */
export function isServiceAccount({ userInfo }: AdmissionRequest): boolean {
  return userInfo.username?.startsWith(accountPrefix) === true;
}

/**
 * Whether somebody reads the warnings. Controllers do not: they would only log them, at every reconcile. A pipeline has
 * a service account too, but is recognised by its tool.
 */
export function readsWarnings(request: AdmissionRequest): boolean {
  const { username = '' } = request.userInfo;
  if (username === '' || username.startsWith(systemAccountPrefix)) return false;
  // Other `system:` users are the control plane: nodes, the scheduler, the controller manager.
  if (!isServiceAccount(request)) return username === 'system:admin' || !username.startsWith('system:');
  return peoplesTools.test(fieldManagerOf(request) ?? '');
}
