import { merge, type ContractClient } from '../../apiserver/contract/contract-client';
import type { JsonObject } from '../../apiserver/json';
import { microTime } from '../../../shared/kube/client/micro-time';

const path = '/apis/coordination.k8s.io/v1/namespaces/reroll/leases/reroll';

const thief = 'bench';

/** Takes the lease from whoever leads, as if another replica did; false where nobody has one of this name. */
export async function takeLease(api: ContractClient): Promise<boolean> {
  const renewTime = microTime(Date.now());
  const { status, bytes } = await api.patch(path, merge, {
    spec: { holderIdentity: thief, renewTime, acquireTime: renewTime },
  });
  if (status === 404) return false;
  if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)} ${bytes.toString()}`);
  return true;
}

/** Gives it back: whoever asks next leads. */
export async function releaseLease(api: ContractClient): Promise<void> {
  const { status, bytes } = await api.patch(path, merge, { spec: { holderIdentity: '' } });
  if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)} ${bytes.toString()}`);
}

/** Whether somebody else leads again. */
export async function isLed(api: ContractClient): Promise<boolean> {
  const spec = (await api.get(path)).body['spec'] as JsonObject | undefined;
  const holder = spec?.['holderIdentity'] ?? '';
  return holder !== '' && holder !== thief;
}
