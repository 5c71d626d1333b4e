import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { patchObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import { configMap, deployment, fromConfigMap, fromSecret, namespace, secret } from '../apiserver/cluster';
import type { FaultTarget } from '../apiserver/faults';
import type { Clock } from '../../shared/runtime/clock';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const off = { 'reloader.stakater.com/auto': 'false' };
const ignored = { 'reloader.stakater.com/ignore': 'true' };
const none = Object.freeze({});

interface Case {
  readonly settings?: Partial<EngineSettings>;
  readonly app?: Record<string, string>;
  readonly web?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly optIn: () => Promise<void>;
}

let harness: Harness;

beforeEach(() => {
  harness = new Harness();
});

/** Opt-outs that are then removed. A write that only removes sets no field, so managedFields has no time for it. */
const cases: Readonly<Record<string, Case>> = {
  'the ignore annotation of a source': {
    app: ignored,
    optIn: async () => {
      const annotations = { 'reloader.stakater.com/ignore': null };
      await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } }, 'shop');
    },
  },
  'auto "false" from a workload, with --auto-reload-all': {
    settings: { policy: { autoReloadAll: true, ignoredWorkloadKinds: [] } },
    web: off,
    optIn: async () => {
      const annotations = { 'reloader.stakater.com/auto': null };
      await harness.patch('Deployment', 'web', { metadata: { annotations } }, 'shop');
    },
  },
  'the label that --namespace-selector excludes from a namespace': {
    settings: { namespaceSelector: parseSelector('!frozen') },
    labels: { frozen: 'true' },
    optIn: async () => {
      const patch = { metadata: { labels: { frozen: null } } };
      await patchObject(harness.admin, namespaces, undefined, 'shop', patch, { type: 'merge' });
    },
  },
};

async function edit(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, 'shop');
}

/** The clock of a node that disagrees with the API server. */
function clockOffBy(offMs: number): Clock {
  const { clock } = harness;
  return {
    nowMs: () => clock.nowMs() + offMs,
    monotonicMs: () => clock.monotonicMs(),
    timer: (delayMs, callback) => clock.timer(delayMs, callback),
  };
}

function restarts(): number {
  return harness.restarts('Deployment', 'web', 'shop');
}

describe('an opt-in by the removal of', () => {
  describe.each(Object.entries(cases))(
    '%s',
    (_what, { settings = {}, app = none, web = auto, labels = none, optIn }) => {
      beforeEach(async () => {
        harness.seed(
          namespace('shop', { labels }),
          configMap({ name: 'app', namespace: 'shop', annotations: app, data: { color: 'red' } }),
          deployment({ name: 'web', namespace: 'shop', annotations: web, envFrom: [fromConfigMap('app')] }),
        );
      });

      async function start(ownClock?: Clock): Promise<void> {
        harness.launch(settings, undefined, {}, ownClock);
        await harness.clock.advance(65_000);
      }

      it.each([
        ['five minutes ahead', 300_000],
        ['nine minutes behind', -540_000],
      ])(
        'on a node whose clock is %s: nothing for an earlier change, one for a later change',
        async (_which, offMs) => {
          await start(clockOffBy(offMs));
          await edit('blue');
          await harness.clock.advance(60_000);
          await optIn();
          await harness.clock.advance(10_000);
          expect(restarts()).toBe(0);
          await edit('green');
          await harness.clock.advance(60_000);
          expect(restarts()).toBe(1);
        },
      );

      it.each([
        ['a minute', 60_000],
        ['twenty minutes', 1_200_000],
      ])('restarts nothing for a change %s earlier, and once for a later change', async (_when, ms) => {
        await start();
        await edit('blue');
        await harness.clock.advance(ms);
        await optIn();
        await harness.clock.advance(60_000);
        expect(restarts()).toBe(0);
        await edit('green');
        await harness.clock.advance(60_000);
        expect(restarts()).toBe(1);
      });

      it('restarts for a change that follows at once', async () => {
        await start();
        await edit('blue');
        await harness.clock.advance(60_000);
        await optIn();
        await edit('green');
        await harness.clock.advance(60_000);
        expect(restarts()).toBe(1);
      });
    },
  );
});

describe('while Secrets cannot be read, the removal of an exclusion', () => {
  const exclude = 'secrets.exclude.reloader.stakater.com/reload';

  /** Edits one Secret, and before or after that removes the annotation that excludes `other`. Then they can be read. */
  async function edited(name: string, order: 'before' | 'after'): Promise<number> {
    const envFrom = [fromConfigMap('app'), fromSecret('db'), fromSecret('other')];
    harness.seed(
      configMap({ name: 'app', data: { color: 'red' } }),
      secret({ name: 'db', data: { password: 'a' } }),
      secret({ name: 'other', data: { password: 'a' } }),
      deployment({ name: 'web', annotations: { ...auto, [exclude]: 'other' }, envFrom }),
    );
    await harness.clock.advance(3_600_000);
    const match = ({ pathname }: FaultTarget) => /^\/api\/v1\/(namespaces\/default\/)?secrets/.test(pathname);
    const end = harness.faults.add({ match, fault: { kind: 'status', code: 403 } });
    await harness.start();
    await harness.clock.advance(60_000);
    const include = async () =>
      await harness.patch('Deployment', 'web', { metadata: { annotations: { [exclude]: null } } });
    const change = async () => await harness.edit('Secret', name, { password: 'b' });
    for (const step of order === 'before' ? [change, include] : [include, change]) {
      await step();
      await harness.clock.advance(5_000);
    }
    end();
    await harness.clock.advance(900_000);
    return harness.restarts('Deployment', 'web');
  }

  it.each([
    ['db', 'before', 1],
    ['db', 'after', 1],
    ['other', 'before', 0],
    ['other', 'after', 1],
  ] as const)('with Secret %s edited %s it: %i', async (name, order, restarts) => {
    expect(await edited(name, order)).toBe(restarts);
  });
});
