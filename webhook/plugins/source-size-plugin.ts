import { budgets } from '../../shared/domain/budgets';
import { sourceKey } from '../../shared/domain/sources/source';
import type { AdmissionRequest } from '../admission/admission-review';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import { capturedKind } from './capture-change';
import { readsWarnings } from '../admission/warned-users';
import { keyNamesIn } from '../admission/written-source';

/** Warns whoever writes a source with so many keys that Reroll does not track them one by one. */
export function sourceSizePlugin(): AdmissionPlugin {
  return {
    name: 'source-size',
    wants: (request) => capturedKind(request) !== undefined && readsWarnings(request) && why(request) !== undefined,
    answer: async (request) => {
      const [what, kind] = [why(request), capturedKind(request)];
      const { namespace = '', name = '' } = request;
      if (what === undefined || kind === undefined) return await Promise.resolve({});
      const effect = 'any change restarts every workload that uses one of them; split it into several objects';
      return { warnings: [`${sourceKey({ kind, namespace, name })} has ${what}: ${effect}`] };
    },
  };
}

/** Why the keys are too many; undefined if they are not. Reads no value. */
function why({ object }: AdmissionRequest): string | undefined {
  const names = keyNamesIn(object);
  if (names.length > budgets.sourceKeys) {
    return `${names.length} keys, more than the ${budgets.sourceKeys} that are tracked one by one`;
  }
  const bytes = names.reduce((sum, name) => sum + name.length, 0);
  if (bytes <= budgets.sourceKeyNameBytes) return undefined;
  return `key names of ${bytes} bytes, more than the ${budgets.sourceKeyNameBytes} up to which keys are tracked one by one`;
}
