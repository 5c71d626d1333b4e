import type { AdmissionRequest } from './admission-review';
import { fieldManagerOf } from './field-manager';

const accountPrefix = 'system:serviceaccount:';
const systemAccountPrefix = 'system:serviceaccount:kube-system:';

/** Field managers of tools that print warnings for the person, or the pipeline's log, that runs them. */
const peoplesTools = /^(?:kubectl(?:-.*)?|oc|helm|k9s|Terraform|OpenTofu|pulumi-kubernetes.*)$/;

/** A program in the cluster, or a pipeline. */
export function isServiceAccount({ userInfo }: AdmissionRequest): boolean {
  return userInfo.username?.startsWith(accountPrefix) === true;
}

/**
 * Whether somebody reads the warnings of an answer. Controllers do not: they would only log them, at every turn of
 * theirs. A pipeline has a service account as they do; it is known by the tool that it runs.
 */
export function readsWarnings(request: AdmissionRequest): boolean {
  const { username = '' } = request.userInfo;
  if (username === '' || username.startsWith(systemAccountPrefix)) return false;
  // What is not an account and begins so is of the control plane: nodes, the scheduler, the controller manager.
  if (!isServiceAccount(request)) return username === 'system:admin' || !username.startsWith('system:');
  return peoplesTools.test(fieldManagerOf(request) ?? '');
}
