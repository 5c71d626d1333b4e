import type { Wrong } from './batch';
import { crowdMutants } from './crowd-mutants';
import { csiMutants } from './csi-mutants';
import { digestKeyMutants, gatekeeperMutants, restoreMutants } from './fault-mutants';
import { featureMutants } from './feature-mutants';
import { noFeatures } from './features';
import { formMutants } from './form-mutants';
import { gateMutants } from './gate-mutants';
import { isGated } from './gate-world';
import { keyMutants } from './key-mutants';
import { hasKeys } from './key-world';
import { nothingLeftOut } from './leaving-out';
import { marksMutants } from './marks-mutants';
import { mutants, type Mutant } from './mutants';
import { paceMutants } from './pace-mutants';
import { isPaced } from './pace-world';
import { plantedBugs } from './planted-bugs';
import { noPolicyFeatures } from './policy-features';
import { policyMutants } from './policy-mutants';
import { refusalMutants } from './refusal-mutants';
import { authorMutants, restartIdMutants } from './restart-mutants';
import { rollbackMutants } from './rollback-mutants';
import { isRolledBack } from './rollback-world';
import { stageMutants } from './stage-mutants';
import { isStaged } from './stage-world';
import { upgradeMutants } from './upgrade-mutants';
import { settingsMutants } from './settings-mutants';
import { isUpgraded } from './upgrade-world';
import { isRefusal } from './weather';
import type { World } from './world';

/** A planted bug, and the worlds that may show it. The others would only cost time. */
export interface ProvableBug extends Wrong {
  readonly what: string;
  readonly among: (world: World) => boolean;
}

const plain = JSON.stringify(noFeatures);
const hasFeatures = ({ features }: World): boolean => JSON.stringify(features) !== plain;
const ofPolicies = Object.keys({ ...noPolicyFeatures, ...nothingLeftOut });
const hasPolicies = ({ features }: World): boolean =>
  Object.entries(features).some(([name, value]) => ofPolicies.includes(name) && value === true);
const isRefused = ({ weather }: World): boolean => weather.some(({ kind }) => isRefusal(kind));
const isRestored = ({ steps }: World): boolean => steps.some(({ kind }) => kind === 'restore-etcd');
const isKept = ({ steps }: World): boolean => steps.some(({ kind }) => kind === 'alter-our-writes');
const hasLostKey = ({ steps }: World): boolean => steps.some(({ kind }) => kind === 'lose-digest-key');
const hasCsi = ({ features }: World): boolean => features.csi !== undefined;
const isCrowded = ({ features }: World): boolean => features.crowd !== undefined;
const hasSettings = ({ features }: World): boolean => features.ownSettings === true;
const hasForms = ({ features }: World): boolean => features.forms === true;
const hasWebhook = ({ hybrid }: World): boolean => hybrid !== undefined;

/** Every bug that the simulation must find, in the engine, the webhook and the channel. */
export const provableBugs: readonly ProvableBug[] = [
  ...plantedBugs.map(({ what, among = () => true }) => ({ what, among, plantedBug: what })),
  ...ofMutants(featureMutants, hasFeatures),
  ...ofMutants(policyMutants, hasPolicies),
  ...ofMutants(refusalMutants, isRefused),
  ...ofMutants(csiMutants, hasCsi),
  ...ofMutants(upgradeMutants, isUpgraded),
  ...ofMutants(crowdMutants, isCrowded),
  ...ofMutants(settingsMutants, hasSettings),
  ...ofMutants(gateMutants, isGated),
  ...ofMutants(paceMutants, isPaced),
  ...ofMutants(stageMutants, isStaged),
  ...ofMutants(rollbackMutants, isRolledBack),
  ...ofMutants(keyMutants, hasKeys),
  ...ofMutants(formMutants, hasForms),
  ...ofMutants(restoreMutants, isRestored),
  ...ofMutants(gatekeeperMutants, isKept),
  ...ofMutants(digestKeyMutants, hasLostKey),
  ...ofMutants(restartIdMutants, () => true),
  ...ofMutants([...mutants, ...marksMutants, ...authorMutants], hasWebhook),
];

function ofMutants(all: readonly Mutant[], among: ProvableBug['among']): readonly ProvableBug[] {
  return all.map((mutation) => ({ what: mutation.what, among, mutation }));
}
