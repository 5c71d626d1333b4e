import { describe, expect, it } from '@jest/globals';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { digester, sourceRecord } from '../../shared/domain/plan/records.fixture';
import { clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { noAnswer } from '../../shared/kube/transport/fake-transport';
import { Metrics } from '../metrics/metrics';
import type { EngineSettings } from '../options/engine-settings';
import { DigestKeyring } from '../sources/digest-keyring';
import { buildSources } from './build-sources';
import { defaults } from './engine.fixture';

interface Known {
  readonly isUsed?: boolean;
  /** The index knows the source. */
  readonly isShown?: boolean;
}

const nothing = { onChange: () => undefined, onRead: () => undefined };

/** Whether a change record of ConfigMap `app` makes the engine read it. */
async function isWanted(
  settings: Partial<EngineSettings>,
  { isUsed = true, isShown = false }: Known,
): Promise<boolean> {
  const { client, clock, logger } = clientWorld(noAnswer);
  const metrics = new Metrics({ countByNamespace: false });
  const deps = { client, clock, logger, metrics, random: zeroRandom };
  const base = { deps, settings: { ...defaults, ...settings }, keys: new DigestKeyring(digester, true) };
  const { index, intake, hints } = buildSources(base, { ...nothing, mayBeUsed: () => isUsed, isRefused: () => false });
  if (isShown) index.sink('ConfigMap', undefined, () => undefined).upsert(sourceRecord(), 'list');
  intake.accept([
    {
      ...{ v: 1, id: 'review', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: 'uid-app', user: 'alice' },
      ...{ digest: 'A'.repeat(22), keyId: digester.keyId, observedAtMs: clock.nowMs() },
      changed: { added: [], changed: [], removed: [] },
    },
  ]);
  hints.stop();
  const series = await metrics.registry.series('reroll_hints_total');
  return series.every(({ labels, value }) => labels['result'] !== 'filtered' || value === 0);
}

describe('a change record', () => {
  const team = { sourceSelector: parseSelector('team=web') };

  it.each<[string, Partial<EngineSettings>, Known, boolean]>([
    ['of a source in use', {}, {}, true],
    ['of a source that nothing uses', {}, { isUsed: false }, false],
    ['of a watched namespace', { namespaces: ['bank', 'shop'] }, {}, true],
    ['of a namespace that is not watched', { namespaces: ['bank'] }, {}, false],
    ['of another kind than the ignored one', { ignoredSourceKind: 'Secret' }, {}, true],
    ['of the ignored kind', { ignoredSourceKind: 'ConfigMap' }, {}, false],
    ['of a source that the watch has selected', team, { isShown: true }, true],
    ['of a source that may not be selected', team, {}, false],
  ])('%s is wanted or not', async (_which, settings, known, expected) => {
    expect(await isWanted(settings, known)).toBe(expected);
  });
});
