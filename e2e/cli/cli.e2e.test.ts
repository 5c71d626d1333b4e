import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectionPath } from '../compat/object-paths';
import { TestNamespace, patient } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import { CliCluster, type Person, type Run } from './cli-cluster';
import { commandRows } from './command-rows';
import { installLabel, installs, ownNamespaceOf, type InstallName } from './installs';
import { askedNamespace, place, planted, silences, type Situation } from './situations';

let cluster: CliCluster;
const places = new Map<string, TestNamespace>();

beforeAll(async () => {
  cluster = await CliCluster.start();
  const situations = Object.entries(planted);
  await Promise.all([
    ...(Object.keys(installs) as InstallName[]).map(async (name) => await cluster.reconciler(name)),
    ...situations.map(async ([what, situation], index) => {
      const namespace = place(index, situation, installLabel);
      await cluster.admin.post(collectionPath('Namespace'), namespace);
      places.set(what, new TestNamespace(cluster, namespace.metadata.name ?? ''));
      for (const object of situation.objects) await placeOf(what).create(object);
    }),
  ]);
  await Promise.all(
    situations.map(async ([what, situation]) => {
      await known(what, situation);
      await situation.then?.(placeOf(what), cluster);
    }),
  );
}, 300_000);

afterAll(async () => await cluster.stop());

function placeOf(what: string): TestNamespace {
  const found = places.get(what);
  if (!found) throw new Error(`${what} is not planted`);
  return found;
}

/** Resolves once the reconciler knows what the pods of the workload run with, or leaves it alone. */
async function known(what: string, { install = 'main', workload = 'deployment/web', isNeverInStep }: Situation) {
  if (isNeverInStep) return;
  const [kind = '', name = ''] = workload.split('/');
  const path = `/v1/workloads/${kind}/${placeOf(what).name}/${name}`;
  await pollUntil(
    `${path} to be known`,
    async () => {
      const { tracked, because, state } = await cluster.inspection(install, path);
      return (tracked === false && because !== 'not-found') || state === 'in-step' ? true : undefined;
    },
    patient,
  );
}

async function why(person: Person, what: string, situation: Situation): Promise<Run> {
  const { workload = 'deployment/web' } = situation;
  const where = ['-n', placeOf(what).name, '--reroll-namespace', askedNamespace(situation)];
  return await cluster.ask(person, ['why', workload, ...where]);
}

const firstLine = ({ out }: Run): string => out.split('\n', 1)[0] ?? '';

/** Asks until the first line has this text. The last answer counts, whatever it is. */
async function settledAnswer(person: Person, what: string, expected: string): Promise<Run> {
  const situation = planted[what];
  if (!situation) throw new Error(`there is no situation ${what}`);
  let run = await why(person, what, situation);
  await pollUntil(
    'the first line',
    async () => {
      if (firstLine(run).includes(expected)) return true;
      run = await why(person, what, situation);
      return undefined;
    },
    { timeoutMs: 20_000, intervalMs: 500 },
  ).catch(() => undefined);
  return run;
}

describe('reroll why', () => {
  const rows = Object.entries(planted).flatMap(([what, situation]) => {
    const { leader, reader = leader, code = 0 } = situation;
    const codes = typeof code === 'number' ? { asker: code, reader: code } : code;
    return [
      ['asker', what, leader, codes.asker],
      ['reader', what, reader, codes.reader],
    ] as const;
  });

  it.each(rows)('tells the %s the cause if %s', async (person, what, expected, code) => {
    const run = await settledAnswer(person, what, expected);
    expect(firstLine(run)).toContain(expected);
    expect(run.code).toBe(code);
    const silence = person === 'asker' ? silences[what] : '; the answer is from what you may read yourself';
    if (silence === undefined) expect(run.err).toBe('');
    else expect(run.err).toContain(silence);
  });

  it.each<Person>(['asker', 'reader'])('is reroll explain too, for the %s', async (person) => {
    const what = 'nothing has happened';
    const where = ['deployment/web', '-n', placeOf(what).name, '--reroll-namespace', ownNamespaceOf('main')];
    const [asWhy, asExplain] = [
      await cluster.ask(person, ['why', ...where]),
      await cluster.ask(person, ['explain', ...where]),
    ];
    expect(asWhy.out).toMatch(/^Deployment .*\/web: /m);
    expect(asExplain).toEqual(asWhy);
  });

  it('is asked in at least thirty situations', () => {
    expect(Object.keys(planted).length).toBeGreaterThanOrEqual(30);
  });
});

describe.each<Person>(['asker', 'reader'])('the %s', (person) => {
  it.each(commandRows)('$what', async ({ args, input, expected, code = 0, notAlike }) => {
    const namespace = (what: string): string => placeOf(what).name;
    const run = await cluster.ask(person, args(namespace), input?.(namespace));
    expect(run.out).toMatch((person === 'reader' ? notAlike : undefined) ?? expected);
    expect(run.code).toBe(typeof code === 'number' ? code : code[person]);
    // Both may list all that the API server serves.
    expect(run.err).not.toContain('those are missing here');
  });
});
