import { typedKeysOf } from '../../shared/domain/policy/policy-annotations';
import { sourceKinds } from '../../shared/domain/sources/source';
import type { SourceAccount } from '../evidence/account';
import { factsOf, titleOf, type Case } from './case';

/** What would let a source count; undefined: it counts, or nothing on the objects would. */
export function howToCount(
  about: Pick<Case, 'install' | 'namespace' | 'facts' | 'sources'>,
  source: SourceAccount,
): string | undefined {
  const { settings } = about.install;
  const { facts } = about;
  const { kind, name, decision, rule = '' } = source;
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
      // No value names the third kind.
      return `remove ${rule} from the workload${kind === 'SecretProviderClass' ? '' : ', or write "configmap|secret" there'}`;
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
      return howToAppear(about, source);
  }
}

/** To the leader, a source without the labels that the install wants does not exist. */
function howToAppear(
  { install: { settings }, namespace, sources }: Pick<Case, 'install' | 'namespace' | 'sources'>,
  source: SourceAccount,
): string | undefined {
  if (source.exists) return undefined;
  const seen = factsOf({ sources }, source);
  if (!seen) return `create it in namespace ${namespace}`;
  const { text } = settings.selection.sourceSelector;
  return seen.isSelected ? undefined : `label it so that it matches --resource-label-selector=${text}`;
}
