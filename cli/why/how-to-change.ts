import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { sourceKinds } from '../../shared/domain/sources/source';
import type { SourceAccount } from '../evidence/account';
import { titleOf, type Case } from './case';

/** What would let a source count; undefined: it counts, or nothing on the objects would. */
export function howToCount(
  { install: { settings }, namespace, facts }: Pick<Case, 'install' | 'namespace' | 'facts'>,
  source: SourceAccount,
): string | undefined {
  const { kind, name, decision, exists, rule = '' } = source;
  const known = sourceKinds.find((each) => each === kind);
  if (!known) return undefined;
  const { reload } = typedKeysOf(settings.keys)[known];
  const { auto, ignore } = settings.keys;
  switch (decision) {
    case 'source-ignored':
      return `remove ${ignore} from ${titleOf(source)}`;
    case 'excluded':
      return `take ${name} out of ${rule} on the workload`;
    case 'kind-left-out':
      return `remove ${rule} from the workload, or write "configmap|secret" there`;
    case 'opted-out':
      return `write ${auto}: "true", or ${reload}: "${name}", on the workload`;
    case 'not-opted-in':
      if (facts?.record.policy[known].search === true)
        return `annotate ${titleOf(source)} with ${settings.keys.match}: "true"`;
      return `add ${name} to ${reload} on the workload, or write ${auto}: "true"`;
    case 'not-watched':
      return kind === 'SecretProviderClass'
        ? 'start Reroll with --enable-csi-integration'
        : 'take its kind out of --resources-to-ignore of Reroll, or let Reroll list it';
    default:
      return exists ? undefined : `create it in namespace ${namespace}`;
  }
}
