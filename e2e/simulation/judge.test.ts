import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, secret, seed } from '../apiserver/cluster';
import { withValueAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { writeBy } from '../apiserver/registry';
import { seededRandom } from '../apiserver/seeded-random';
import { Digests } from './contents';
import { judge, type Violation } from './judge';

const key = Buffer.alloc(32, 7);
const digests = new Digests(key);
const source = 'ConfigMap default/app';

/** A history written by hand: a workload that uses one ConfigMap, and an engine whose every write is ours. */
class Hand {
  readonly clock = new FakeClock();
  readonly server = new ApiServer({ clock: this.clock, random: seededRandom(1) });
  #sequence = 0;

  constructor() {
    seed(this.server, {
      ...secret({ name: 'reroll-digest-key', namespace: 'reroll', binaryData: { key: key.toString('base64') } }),
    });
    seed(this.server, configMap({ name: 'app', data: { color: 'value-1-' } }));
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    seed(this.server, deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')] }));
  }

  async lead(holder = 'engine-0-1'): Promise<void> {
    for (const renewTime of ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:02.000000Z']) {
      const spec = { holderIdentity: holder, acquireTime: '2026-01-01T00:00:00.000000Z', renewTime };
      const object = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'reroll', namespace: 'reroll' },
        spec,
      };
      if (this.server.store.get(this.server.kindOf('Lease'), 'reroll/reroll')) {
        await this.#update('Lease', 'reroll', 'reroll', holder, (lease) => ({ ...lease, spec }));
      } else
        await this.server.registry.create(
          writeBy(holder, 'reroll', 'create'),
          this.server.kindOf('Lease'),
          'reroll',
          object,
        );
    }
    await this.clock.advance(3_000);
  }

  async edit(color: string): Promise<void> {
    await this.#update('ConfigMap', 'default', 'app', 'dev', (object) => ({ ...object, data: { color } }));
    await this.clock.advance(3_000);
  }

  /** A write of the engine that records the content `color`; `restart`: with the template. */
  async engine(
    color: string,
    restart: boolean,
    change: (object: JsonObject) => JsonObject = (object) => object,
    user = 'engine-0-1',
  ): Promise<void> {
    this.#sequence += 1;
    const sources = { 'cm/app': digests.whole(source, new Map([['color', color]])) };
    const text = JSON.stringify({ v: 1, n: this.#sequence, key: 'k', sources });
    await this.#update('Deployment', 'default', 'web', user, (object) => {
      const recorded = withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], text);
      const at = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'];
      return change(restart ? withValueAt(recorded, at, String(this.#sequence)) : recorded);
    });
  }

  promises(calm = false): readonly Violation['promise'][] {
    return judge(this.server.history(), calm).map(({ promise }) => promise);
  }

  async #update(
    kind: string,
    namespace: string,
    name: string,
    user: string,
    change: (object: KubeObject) => JsonObject,
  ): Promise<void> {
    const context = writeBy(user, user, 'patch');
    const object = (current: KubeObject) => ({ object: change(current) });
    await this.server.registry.update(context, this.server.kindOf(kind), namespace, name, object);
  }
}

async function adopted(): Promise<Hand> {
  const hand = new Hand();
  await hand.lead();
  await hand.engine('value-1-', false);
  return hand;
}

describe('the judge', () => {
  it('finds nothing in a history in which each change is answered once', async () => {
    const hand = await adopted();
    for (const color of ['value-2-', 'value-3-']) {
      await hand.edit(color);
      await hand.engine(color, true);
    }
    expect(hand.promises(true)).toEqual([]);
  });

  it('finds a change that nothing answered', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    expect(hand.promises()).toEqual(['missed change']);
  });

  it('takes a change that was taken back for none', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.edit('value-1-');
    expect(hand.promises()).toEqual([]);
  });

  it('finds a restart for nothing', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', true);
    expect(hand.promises()).toEqual(['restart without reason']);
  });

  it('finds a second restart for one change', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-2-', true);
    expect(hand.promises(true)).toEqual(['restart without reason', 'not exactly once']);
  });

  it('finds a template written without its baseline', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const dropped = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/baseline'], undefined);
    await hand.engine('value-2-', true, dropped);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('finds a baseline of a content that never was', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-9-', true);
    expect(hand.promises()).toEqual(['baseline apart from template']);
  });

  it('finds a baseline that goes back', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await hand.engine('value-1-', true);
    expect(hand.promises()).toContain('baseline apart from template');
  });

  it('finds a write of what is not ours', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, (object) => withValueAt(object, ['spec', 'replicas'], 5));
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('finds a write that was not owed', async () => {
    const hand = await adopted();
    await hand.engine('value-1-', false);
    expect(hand.promises()).toEqual(['foreign write']);
  });

  it('finds a value in an annotation', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    const telling = (object: JsonObject): JsonObject =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'], 'now value-2-');
    await hand.engine('value-2-', true, telling);
    expect(hand.promises()).toEqual(['leak']);
  });

  it('finds a writer that does not hold the Lease', async () => {
    const hand = await adopted();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true, undefined, 'engine-1-1');
    expect(hand.promises()).toEqual(['two writers']);
  });
});
