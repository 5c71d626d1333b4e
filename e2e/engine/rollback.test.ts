import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { deleteObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { configMap } from '../apiserver/cluster';
import { auditLines } from './audit-lines.fixture';
import { bad, isOwnWrite, isPutBack, onFailure, rolledBack, Shop } from './rollback.fixture';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

afterEach(async () => await shop.stop());

async function started(annotations?: Readonly<Record<string, string>>, settings?: Partial<EngineSettings>) {
  if (annotations) shop = new Shop(annotations);
  await shop.start(settings);
}

async function deleteKept(role: 'good' | 'bad'): Promise<void> {
  const name = shop.kept(role)?.metadata.name ?? '';
  await deleteObject(shop.harness.admin, configMaps, 'shop', name, { propagationPolicy: 'Background' });
}

describe('a content with which all users are healthy', () => {
  it('is kept beside the source, and goes with it', async () => {
    await started();
    expect(shop.kept('good')).toMatchObject({
      immutable: true,
      data: { color: 'red' },
      metadata: { ownerReferences: [{ kind: 'ConfigMap', name: 'app', uid: shop.app?.metadata.uid }] },
    });
    await shop.harness.delete('ConfigMap', 'app', 'shop');
    await shop.pass(1);
    expect(shop.configMaps()).toEqual([]);
  });

  it('is kept once, and written again neither by this leader nor by the next', async () => {
    await started();
    await shop.pass(30);
    await shop.stop();
    await shop.start();
    await shop.pass(10);
    expect(shop.ownWrites()).toHaveLength(2);
  });

  it('takes the place of the one before once all are healthy for long enough', async () => {
    await started();
    await shop.write('blue');
    await shop.pass(1);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
    await shop.pass(5);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'blue' } });
    expect(shop.configMaps()).toHaveLength(2);
  });

  it('is not kept while one of them is not healthy', async () => {
    shop.user('lazy');
    await started();
    await shop.harness.patch('Deployment', 'lazy', { spec: { paused: true } }, 'shop');
    await shop.harness.patch(
      'Deployment',
      'lazy',
      { spec: { template: { metadata: { labels: { a: 'b' } } } } },
      'shop',
    );
    await shop.write('blue');
    await shop.pass(30);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
  });

  it('is not kept while one of them has another', async () => {
    shop.user('held', { 'reroll.dev/hold': 'true' });
    await started();
    await shop.write('blue');
    await shop.pass(30);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
  });

  it.each<[string, Readonly<Record<string, string>>, Partial<EngineSettings>]>([
    ['the source is not annotated', {}, {}],
    ['the source says stop', { [onFailure]: 'stop' }, {}],
    ['the install does not', { [onFailure]: 'rollback' }, { rollback: false }],
    ['it is a dry run', { [onFailure]: 'rollback' }, { dryRun: true }],
    ['the namespace is ignored', { [onFailure]: 'rollback' }, { namespacesToIgnore: ['shop'] }],
  ])('is not kept if %s, and nothing is put back', async (_why, annotations, settings) => {
    await started(annotations, settings);
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.ownWrites()).toEqual([]);
    expect(shop.color).toBe(bad);
  });

  it('is kept if its namespace says so, unless the source says something else', async () => {
    shop = new Shop({});
    await shop.annotateNamespace({ [onFailure]: 'rollback' });
    await shop.start();
    expect(shop.kept('good')).toBeDefined();
    await shop.patch({ metadata: { annotations: { [onFailure]: 'stop' } } });
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe(bad);
  });
});

describe('a content that breaks those that restart first', () => {
  it('is not one whose first user Reroll itself holds paused for longer than the stage deadline', async () => {
    const longer = { 'deployment.reloader.stakater.com/pause-period': '20m', 'reroll.dev/canary': 'true' };
    shop.user('paused', longer);
    await started();
    await shop.write('blue');
    await shop.pass(19);
    expect([shop.color, shop.harness.restartOrder()]).toEqual(['blue', ['paused']]);
    await shop.pass(10);
    expect(shop.color).toBe('blue');
    expect(new Set(shop.harness.restartOrder()).size).toBeGreaterThan(3);
  });

  it('is one whose first user is not healthy after its pause', async () => {
    shop.user('paused', { 'deployment.reloader.stakater.com/pause-period': '20m', 'reroll.dev/canary': 'true' });
    await started();
    await shop.write(bad);
    await shop.pass(21);
    expect(shop.color).toBe(bad);
    await shop.pass(15);
    expect([shop.color, shop.kept('bad')?.['data']]).toEqual(['red', { color: bad }]);
  });

  it('is replaced by the kept one also if a pod of another user has started with it, and that user restarts once', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(2);
    await shop.harness.patch('Deployment', 'web-5', { spec: { replicas: 2 } }, 'shop');
    await shop.pass(28);
    expect(shop.color).toBe('red');
    expect(shop.harness.restartOrder().toSorted()).toEqual(['web-0', 'web-0', 'web-5']);
    expect(shop.putBacks()).toHaveLength(1);
  });

  it('is replaced by the kept one, and only those restart again', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe('red');
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    expect(shop.putBacks()).toHaveLength(1);
    expect(shop.status('web-0')).toMatchObject({ restart: 'not-owed' });
    expect(shop.app?.metadata).toMatchObject({ labels: { team: 'x' }, annotations: { [onFailure]: 'rollback' } });
    expect(shop.rolledBack).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
    expect(shop.kept('bad')).toMatchObject({ immutable: true, data: { color: bad } });
    expect(await shop.metric('done')).toBe(1);
    expect(shop.events('RolledBack').toSorted()).toEqual([
      expect.stringMatching(
        /^ConfigMap app: Reroll put the content of change \w{8} back into ConfigMap app \(kept at .*\), because Deployment web-0 was not healthy after change \w{8}\. /,
      ),
      expect.stringMatching(/^Deployment web-0: /),
    ]);
  });

  it('has a line for an audit of its own, with the workload that failed and the change that was bad', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(30);
    expect(auditLines(shop.engine!).map(({ decision }) => decision)).toEqual(['restarted', 'rolled-back', 'restarted']);
    expect(auditLines(shop.engine!)[1]).toMatchObject({
      ...{ level: 'warn', workload: 'Deployment shop/web-0', sources: ['cm/app'], changes: shop.rolledBack },
      ...{
        keys: ['color'],
        because: [expect.stringMatching(/^restarts for ConfigMap app are stopped: Deployment web-0 is not healthy /)],
      },
    });
  });

  it('brings back keys that it removed, and takes those that it added', async () => {
    await started();
    await shop.patch({ data: { size: '1', color: 'blue' }, binaryData: { icon: 'AAEC' } });
    await shop.pass(10);
    await shop.patch({ data: { color: bad, size: null, motd: 'x' }, binaryData: { icon: 'AAED' } });
    await shop.pass(30);
    expect(shop.app).toMatchObject({ data: { color: 'blue', size: '1' }, binaryData: { icon: 'AAEC' } });
    expect(fieldAt(shop.app, ['data'])).not.toHaveProperty('motd');
  });

  it('meets a closed gate however often a tool writes it again, and is not put back a second time', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    for (let n = 0; n < 20; n++) {
      await shop.write(n % 2 === 0 ? bad : 'red');
      await shop.pass(3);
    }
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe(bad);
    expect(shop.putBacks()).toHaveLength(1);
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    const detail =
      'restarts for ConfigMap app are stopped: its content was rolled back before, and somebody has written it again';
    expect(shop.status('web-5')).toMatchObject({ waitsFor: 'stages', detail });
    expect(shop.events('RestartsStopped')).toContainEqual(expect.stringContaining(`ConfigMap app: ${detail}`));
    expect(await shop.engine?.metrics.registry.text()).toContain('reroll_stopped_sources 1');
  });

  it('stays stopped under the next leader', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    await shop.write(bad);
    await shop.pass(1);
    await shop.stop();
    await shop.start();
    await shop.pass(30);
    expect(shop.putBacks()).toHaveLength(1);
    expect(shop.harness.restartOrder()).toHaveLength(2);
  });

  it('goes on when somebody resumes it', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    await shop.write(bad);
    const [id = ''] = shop.rolledBack;
    await shop.patch({ metadata: { annotations: { 'reroll.dev/resumed': id } } });
    await shop.pass(30);
    expect(shop.harness.restartOrder()).toHaveLength(12);
    expect(shop.putBacks()).toHaveLength(1);
  });

  it('takes another one along that changed with it, until somebody resumes that', async () => {
    const extra = { name: 'extra', namespace: 'shop', annotations: { [onFailure]: 'rollback' } };
    shop = new Shop(undefined, 0);
    shop.harness.seed(configMap({ ...extra, data: { size: 'small' } }));
    for (let n = 0; n < 10; n++) shop.user(`web-${n}`, {}, ['app', 'extra']);
    await shop.start();
    const release = async (color: string): Promise<void> => {
      await shop.harness.edit('ConfigMap', 'extra', { size: 'large' }, 'shop');
      await shop.write(color);
      await shop.pass(30);
    };
    const sourcesNow = (): unknown[] =>
      ['app', 'extra'].map((name) => shop.configMaps().find(({ metadata }) => metadata.name === name)?.['data']);
    await release(bad);
    expect(sourcesNow()).toEqual([{ color: 'red' }, { size: 'small' }]);
    await release('green');
    expect(shop.harness.restartOrder()).toEqual(['web-0', 'web-0']);
    const id = shop.configMaps().find(({ metadata }) => metadata.name === 'extra')?.metadata.annotations?.[rolledBack];
    const resumed = { metadata: { annotations: { 'reroll.dev/resumed': id ?? '' } } };
    await shop.harness.patchSource('ConfigMap', 'extra', resumed, 'shop');
    await shop.pass(30);
    expect(shop.harness.restartOrder()).toHaveLength(12);
  });

  it('meets an open gate again once it has proved itself and was put back itself, whatever is put back later', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    const [id = ''] = shop.rolledBack;
    shop.badColors.delete(bad);
    await shop.patch({ data: { color: bad }, metadata: { annotations: { 'reroll.dev/resumed': id } } });
    await shop.pass(10);
    shop.badColors.add('grey').add('pink');
    for (const [color, then] of [
      ['grey', bad],
      ['white', 'white'],
      ['pink', 'white'],
    ] as const) {
      await shop.write(color);
      await shop.pass(10);
      expect([shop.color, shop.rolledBack.includes(id)]).toEqual([then, false]);
    }
    const before = shop.harness.restartOrder().length;
    await shop.patch({ data: { color: bad }, metadata: { annotations: { 'reroll.dev/resumed': null } } });
    await shop.pass(10);
    expect(shop.harness.restartOrder()).toHaveLength(before + 10);
  });

  it('begins anew with another content', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    await shop.patch({ data: { color: bad, size: '2' } });
    await shop.pass(30);
    expect(shop.color).toBe('red');
    expect(shop.putBacks()).toHaveLength(2);
    expect(new Set(shop.rolledBack).size).toBe(2);
    expect(shop.kept('bad')).toMatchObject({ data: { size: '2' } });
    expect(shop.configMaps()).toHaveLength(3);
  });

  it('is not put back again if somebody removes the annotation together with writing it', async () => {
    await started();
    await shop.write(bad);
    await shop.pass(10);
    await shop.patch({ data: { color: bad }, metadata: { annotations: { 'reroll.dev/rolled-back': null } } });
    await shop.pass(30);
    expect(shop.color).toBe(bad);
    expect(shop.putBacks()).toHaveLength(1);
    expect(shop.events('RollbackFailed')).toEqual([
      expect.stringContaining('No earlier content was put back: this content was put back before, and is there again'),
    ]);
  });

  it('stays where it is with on-failure: keep, and the Event names the command', async () => {
    await started({ [onFailure]: 'keep' });
    await shop.write(bad);
    await shop.pass(30);
    expect(shop.color).toBe(bad);
    expect(shop.kept('good')).toMatchObject({ data: { color: 'red' } });
    expect(shop.events('RestartsStopped')).toContainEqual(
      expect.stringMatching(/run reroll rollback configmap\/app -n shop\. .*run reroll resume configmap\/app -n shop$/),
    );
  });
});

it('a content that is older than what the others have is not put back', async () => {
  await started();
  await shop.stop();
  await shop.start({ rollback: false });
  await shop.write('blue');
  await shop.pass(20);
  await shop.stop();
  // It has no time to keep the newer one.
  const end = shop.harness.faults.add({ match: isOwnWrite, fault: { kind: 'status', code: 403 } });
  await shop.start();
  expect(shop.events('RollbackFailed')).toEqual([
    expect.stringContaining('the content of ConfigMap app is not kept, so it cannot be put back'),
  ]);
  end();
  const before = shop.harness.restartOrder().length;
  await shop.write(bad);
  await shop.pass(8);
  expect(shop.events('RollbackFailed')).toContainEqual(
    expect.stringContaining('is older than what its other users have'),
  );
  expect(shop.harness.restartOrder()).toHaveLength(before + 1);
  expect(shop.putBacks()).toEqual([]);
});

describe('an earlier content is not put back, and it is told', () => {
  const failures = () => shop.events('RollbackFailed');
  const told = (what: string) =>
    expect(failures()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^ConfigMap app: restarts for ConfigMap app are stopped: .*No earlier content was put back: ${what}`,
        ),
      ),
    ]);

  afterEach(async () => {
    expect(shop.color).toBe(bad);
    expect(shop.harness.restartOrder()).toEqual(['web-0']);
    expect(await shop.metric('failed')).toBe(1);
  });

  it('if none is kept', async () => {
    await started();
    await deleteKept('good');
    await shop.write(bad);
    await shop.pass(30);
    told('no earlier content is kept with which all its users were healthy');
  });

  it('if the source is immutable', async () => {
    await started();
    await shop.patch({ data: { color: bad }, immutable: true });
    await shop.pass(30);
    told('it is immutable');
  });

  it('if the controller of another object writes it', async () => {
    await started();
    const owner = {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      name: 'app',
      uid: 'u',
      controller: true,
    };
    await shop.patch({ data: { color: bad }, metadata: { ownerReferences: [owner] } });
    await shop.pass(30);
    told('it is written by the controller of ExternalSecret app: change it there');
  });

  it.each([
    ['a content of theirs', 'green'],
    ['a copy of an older content', 'red'],
  ])('if somebody put %s in its place', async (_what, color) => {
    await started();
    const { name = '', labels = {}, annotations = {} } = shop.kept('good')?.metadata ?? {};
    await deleteKept('good');
    const copy = { name, namespace: 'shop', labels, annotations, data: { color }, immutable: true };
    shop.harness.seed(configMap(copy));
    await shop.write(bad);
    await shop.pass(30);
    told(
      'Reroll cannot verify the copy beside it: somebody else wrote or changed it, or the key in Secret reroll-journal-key was replaced',
    );
  });

  it.each([
    ['the right is missing', 403],
    ['a webhook does not take it', 422],
  ])('if %s', async (_why, code) => {
    await started();
    shop.harness.faults.add({ match: isPutBack, fault: { kind: 'status', code } });
    await shop.write(bad);
    await shop.pass(30);
    told(`patch configmaps shop/app: ${code}`);
    expect(JSON.stringify([failures(), shop.engine?.lines])).not.toMatch(/black|red"/);
  });
});
