import { enumerated } from '../output/phrases';
import { missingRights } from '../rights/compare-rights';
import { readRights, type PartRights } from '../rights/read-rights';
import { describeRights } from '../rights/right';
import { failed, ok, together, unknown, warning, type Check, type Finding } from './finding';

const grant =
  'grant it with the chart (helm upgrade) or with deploy/rbac.yaml; docs/rights.md says what follows without';

const grantedSince =
  'if it was granted since the leader started, nothing is left to do: the leader uses it within ten minutes, and names it until it ends';

/** No right is missing: by what was refused to the leader, and by the roles of the service accounts. */
export const rightsCheck: Check = {
  name: 'rights',
  look: async (facts) => {
    const health = await facts.health();
    const refused = health.silence ? [] : health.said.missingPermissions;
    const rights = await facts.remembered(readRights);
    const ofRoles = rights.is === 'there' ? rights.value.map(findingOf) : [];
    const areRolesWhole = ofRoles.length > 0 && ofRoles.every(({ state }) => state === 'ok');
    return together(
      ok('no right is missing'),
      ...(refused.length === 0 ? [] : [findingOfRefusals(enumerated(refused), areRolesWhole)]),
      ...ofRoles,
      ...(health.silence ? [unknown('what the leader was refused is not known: it was not asked')] : []),
      ...(rights.is === 'hidden' ? [unknown(rights.right)] : []),
    );
  },
};

/** The leader tells what it was refused since it started. It may have been granted meanwhile. */
function findingOfRefusals(refused: string, areRolesWhole: boolean): Finding {
  if (!areRolesWhole) return failed(`the leader was refused: ${refused}`, grant);
  return warning(`the leader was refused, though no role lacks a right now: ${refused}`, grantedSince);
}

function findingOf({ part, needed, granted }: PartRights): Finding {
  if (granted.is === 'hidden') return unknown(`the roles of the service accounts are not known: ${granted.right}`);
  const missing = granted.is === 'there' ? missingRights(needed, granted.value) : [];
  if (missing.length === 0) return ok('');
  return warning(`no role lets ${part.account} ${enumerated(describeRights(missing))}`, grant);
}
