import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InterruptedError, type ClusterWorld } from '../../cli/cluster/cluster-command';
import { rollbackReportSchema } from '../../cli/rollback/rollback-report';
import { rollbackCommandIn } from '../../cli/rollback/rollback-command';
import { deleteObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { clusterOf, runAgainst, type Answering, type Run } from './asking.fixture';
import { bad, onFailure, rolledBack, Shop } from './rollback.fixture';

let shop: Shop;
let questions: string[];

beforeEach(async () => {
  questions = [];
  shop = new Shop({ [onFailure]: 'keep' });
  await shop.start();
});

afterEach(async () => await shop.stop());

interface Asked {
  /** Undefined: nobody is there. */
  readonly says?: () => Promise<string | undefined>;
  readonly answering?: Answering;
}

const saying = (answer: string | undefined) => async () => await Promise.resolve(answer);

const interrupted = async () => await Promise.reject(new InterruptedError());

async function rollback(
  args: readonly string[],
  { says = saying('y'), answering = 'leader' }: Asked = {},
): Promise<Run> {
  const { harness, engine } = shop;
  if (!engine) throw new Error('no engine was started');
  const ask = async (question: string): Promise<string | undefined> => {
    questions.push(question);
    return await says();
  };
  const command = { name: 'rollback', loadIn: (world: ClusterWorld) => rollbackCommandIn({ ...world, ask }) };
  return await runAgainst(clusterOf(harness, engine, answering, 'shop'), harness, command, args);
}

async function broken(): Promise<void> {
  await shop.write(bad);
  await shop.pass(10);
}

describe('reroll rollback', () => {
  it('shows which keys differ, and none of their values, and puts the kept content back', async () => {
    await shop.patch({ data: { color: bad, motd: 'secret words' } });
    await shop.pass(10);
    const { code, out } = await rollback(['configmap/app']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ConfigMap shop\/app has the content that was kept\ncontent of change [0-9a-f]{8}, kept at .*Z\nchanged: color\nremoved: motd\nchange [0-9a-f]{8} restarts nothing if it is written again\n$/,
    );
    expect(questions).toEqual([
      expect.stringMatching(
        /^ConfigMap shop\/app\ncontent of change .*\nchanged: color\nremoved: motd\nWhoever may create a ConfigMap in namespace shop may have made it: look at ConfigMap app\.reroll-good-[0-9a-f]{8} if in doubt\nPut it back\? \[y\/N\] $/,
      ),
    ]);
    expect(`${out}${questions.join()}`).not.toMatch(/black|red|secret words/);
    expect(shop.app).toMatchObject({ data: { color: 'red' }, metadata: { labels: { team: 'x' } } });
    await shop.pass(10);
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
  });

  it('closes the gate for the bad content, as Reroll does', async () => {
    await broken();
    await rollback(['cm', 'app', '--yes']);
    expect(questions).toEqual([]);
    await shop.pass(2);
    await shop.write(bad);
    await shop.pass(10);
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    expect(shop.status('web-5')).toMatchObject({ detail: expect.stringContaining('was rolled back before') });
  });

  it('puts it back although the leader is silent, and then closes no gate', async () => {
    await broken();
    const { code, out } = await rollback(['configmap/app'], { answering: 'objects' });
    expect([code, shop.color, out.includes('restarts nothing')]).toEqual([0, 'red', false]);
    expect(shop.app?.metadata.annotations).not.toHaveProperty(rolledBack);
  });

  it.each<[string, readonly string[], Asked, number, RegExp]>([
    ['somebody says no', [], { says: saying('n') }, 1, /^ConfigMap shop\/app was left as it is\n$/],
    ['somebody says nothing', [], { says: saying('') }, 1, /was left as it is/],
    [
      'nobody is there',
      [],
      { says: saying(undefined) },
      1,
      /^ConfigMap [a-z0-9-]+\/[a-z]+ was left as it is: nobody is there to ask, so use --yes\n$/,
    ],
    ['somebody presses Ctrl-C', [], { says: interrupted }, 130, /^$/],
    ['it is a dry run', ['--dry-run'], {}, 0, /^ConfigMap shop\/app would have the content that was kept\n/],
  ])('changes nothing if %s', async (_why, args, asked, code, out) => {
    await broken();
    const run = await rollback(['configmap/app', ...args], asked);
    expect(run.code).toBe(code);
    expect(run.out).toMatch(out);
    expect(shop.color).toBe(bad);
  });

  it('says that there is nothing to put back', async () => {
    expect((await rollback(['configmap/app'])).out).toBe('ConfigMap shop/app has the content that was kept last\n');
    expect((await rollback(['configmap/none'])).out).toBe('there is no ConfigMap shop/none\n');
    const { metadata } = shop.kept('good') ?? {};
    await deleteObject(shop.harness.admin, configMaps, 'shop', metadata?.name ?? '', {
      propagationPolicy: 'Background',
    });
    const { code, out } = await rollback(['configmap/app']);
    expect([code, out]).toEqual([
      1,
      'no content of ConfigMap shop/app is kept: Reroll keeps one with --rollback and reroll.dev/on-failure: keep, once all its users are healthy with it\n',
    ]);
  });

  it('leaves what was changed meanwhile', async () => {
    await broken();
    const says = async (): Promise<string> => {
      await shop.patch({ metadata: { annotations: { seen: '1' } } });
      return 'y';
    };
    expect(await rollback(['configmap/app'], { says })).toMatchObject({
      code: 1,
      out: 'ConfigMap shop/app was changed meanwhile, so it was left: look again\n',
    });
    expect(shop.color).toBe(bad);
  });

  it.each([['secretproviderclass/app'], ['deployment/app'], ['app']])('does not take %s', async (name) => {
    expect((await rollback([name])).code).toBe(2);
  });

  it('answers programs', async () => {
    await broken();
    const { out } = await rollback(['configmap/app', '--yes', '-o', 'json']);
    expect(rollbackReportSchema.parse(JSON.parse(out))).toEqual({
      answer: 'ConfigMap shop/app has the content that was kept',
      ...{ change: expect.any(String), keptAt: expect.any(String), rolledBack: expect.any(String) },
      ...{ v: 1, kind: 'ConfigMap', namespace: 'shop', name: 'app', changed: true },
      keys: { added: [], removed: [], changed: ['color'] },
    });
    const again = await rollback(['configmap/app', '--yes', '-o', 'json']);
    expect(rollbackReportSchema.parse(JSON.parse(again.out))).toEqual({
      ...{ v: 1, kind: 'ConfigMap', namespace: 'shop', name: 'app', changed: false },
      answer: 'ConfigMap shop/app has the content that was kept last',
    });
  });
});
