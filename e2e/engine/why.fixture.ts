import { whyCommandIn } from '../../cli/why/why-command';
import { clusterOf, rerollDeployment, runAgainst, type Answering, type Run } from './asking.fixture';
import type { Engine, Harness } from './harness';
import { running, situations, type Situation } from './situations.fixture';
import { whySituations } from './why-situations.fixture';

/** Asks `reroll why` in a situation. */

export const all: Readonly<Record<string, Situation>> = { ...situations, ...whySituations };
export const why = { name: 'why', loadIn: whyCommandIn };

export async function inSituation(situation: Situation): Promise<[Harness, Engine]> {
  return await running({ ...situation, objects: [...situation.objects, rerollDeployment(situation.settings)] });
}

export async function ask(
  [harness, engine]: readonly [Harness, Engine],
  answering: Answering,
  { path = 'Deployment/default/web' }: Pick<Situation, 'path'>,
  ...args: readonly string[]
): Promise<Run> {
  const [kind = '', , name = ''] = path.split('/');
  return await runAgainst(clusterOf(harness, engine, answering), harness, why, [`${kind}/${name}`, ...args]);
}

export const firstLine = ({ out }: Run): string => out.split('\n')[0] ?? '';
