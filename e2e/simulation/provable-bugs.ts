import type { Wrong } from './batch';
import { csiMutants } from './csi-mutants';
import { featureMutants } from './feature-mutants';
import { noFeatures } from './features';
import { marksMutants } from './marks-mutants';
import { mutants, type Mutant } from './mutants';
import { plantedBugs } from './planted-bugs';
import { refusalMutants } from './refusal-mutants';
import { isRefusal } from './weather';
import type { World } from './world';

/** Something wrong on purpose, and the worlds in which it may show. The others would only take their time. */
export interface ProvableBug extends Wrong {
  readonly what: string;
  readonly among: (world: World) => boolean;
}

const plain = JSON.stringify(noFeatures);
const hasFeatures = ({ features }: World): boolean => JSON.stringify(features) !== plain;
const isRefused = ({ weather }: World): boolean => weather.some(({ kind }) => isRefusal(kind));
const hasCsi = ({ features }: World): boolean => features.csi !== undefined;
const hasWebhook = ({ hybrid }: World): boolean => hybrid !== undefined;

/** All that the simulation has to find: in the engine, its pauses and selections, and in webhook and channel. */
export const provableBugs: readonly ProvableBug[] = [
  ...plantedBugs.map(({ what, among = () => true }) => ({ what, among, plantedBug: what })),
  ...ofMutants(featureMutants, hasFeatures),
  ...ofMutants(refusalMutants, isRefused),
  ...ofMutants(csiMutants, hasCsi),
  ...ofMutants([...mutants, ...marksMutants], hasWebhook),
];

function ofMutants(all: readonly Mutant[], among: ProvableBug['among']): readonly ProvableBug[] {
  return all.map((mutation) => ({ what: mutation.what, among, mutation }));
}
