import { budgets } from '../../shared/domain/budgets';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugin';
import { capturedKind } from './capture-change';
import { readsWarnings } from '../admission/warned-users';

/** Tells who writes a source with more keys than are told apart what that costs them. */
export function sourceSizePlugin(): AdmissionPlugin {
  return {
    name: 'source-size',
    wants: (request) => capturedKind(request) !== undefined && readsWarnings(request) && why(request) !== undefined,
    answer: async (request) => {
      const what = why(request);
      const { namespace = '', kind, name = '' } = request;
      if (what === undefined) return await Promise.resolve({});
      const effect = 'any change restarts every workload that uses one of them; divide it into several';
      return { warnings: [`${kind.kind} ${objectKey(namespace, name)} has ${what}: ${effect}`] };
    },
  };
}

/** Undefined where there are not too many. Counted without reading a value. */
function why({ object }: AdmissionRequest): string | undefined {
  const names = ['data', 'binaryData'].flatMap((field) => Object.keys(objectOf(fieldAt(object, [field]))));
  if (names.length > budgets.sourceKeys) {
    return `${names.length} keys, and more than ${budgets.sourceKeys} are not told apart`;
  }
  const bytes = names.reduce((sum, name) => sum + name.length, 0);
  if (bytes <= budgets.sourceKeyNameBytes) return undefined;
  return `keys whose names take ${bytes} bytes, and with more than ${budgets.sourceKeyNameBytes} they are not told apart`;
}
