import { enumerated } from '../output/phrases';
import { spareRights } from '../rights/compare-rights';
import { readRights, type PartRights } from '../rights/read-rights';
import { describeRights } from '../rights/right';
import { ok, together, unknown, warning, type Check, type Finding } from './finding';

/** No role grants more than the flags in use need. */
export const spareRightsCheck: Check = {
  name: 'spare-rights',
  look: async (facts) => {
    const rights = await facts.remembered(readRights);
    if (rights.is === 'hidden') return unknown(rights.right);
    if (rights.is === 'absent' || rights.value.length === 0)
      return unknown('there is no Deployment whose rights could be compared');
    return together(ok('no role grants more than the flags need'), ...rights.value.map(findingOf));
  },
};

function findingOf({ part, needed, granted }: PartRights): Finding {
  if (granted.is !== 'there')
    return granted.is === 'hidden'
      ? unknown(`the roles of the service accounts are not known: ${granted.right}`)
      : ok('');
  const spare = spareRights(needed, granted.value);
  if (spare.length === 0) return ok('');
  const roles = enumerated([...new Set(spare.map(({ role }) => role))]);
  return warning(
    `${part.account} may, and with its flags need not, ${enumerated(describeRights(spare))}`,
    `take it out of ${roles}: docs/least-privilege.md lists what each feature needs`,
  );
}
