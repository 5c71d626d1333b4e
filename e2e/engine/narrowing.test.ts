import { describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Harness } from './harness';

const sources = [configMap({ name: 'app', data: { color: 'red' } }), secret({ name: 'db', data: { password: 'a' } })];
const envFrom = [fromConfigMap('app'), fromSecret('db')];
const auto = { 'reloader.stakater.com/auto': 'true' };
const match = (value: string) => ({ 'reloader.stakater.com/match': value });
const kind = (value: string) => ({ 'reloader.stakater.com/kind': value });

/** Counts restarts after a change of the ConfigMap, then after a change of the Secret too. */
async function restarts(annotations: Record<string, string>) {
  const harness = new Harness();
  harness.seed(...sources, deployment({ name: 'web', annotations, envFrom }));
  const { lines } = await harness.start();
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(20_000);
  const afterConfigMap = harness.restarts('Deployment', 'web');
  await harness.edit('Secret', 'db', { password: 'b' });
  await harness.clock.advance(20_000);
  return { counts: [afterConfigMap, harness.restarts('Deployment', 'web')], lines };
}

describe('Appendix B: match and kind on a workload narrow what restarts it', () => {
  it.each([
    [auto, [1, 2]],
    [{ ...auto, ...match('configmap') }, [1, 1]],
    [{ ...auto, ...match('secret') }, [0, 1]],
    [{ ...auto, ...kind('configmap') }, [1, 1]],
    [{ ...auto, ...match('configmap|secret') }, [1, 2]],
    [{ 'secret.reloader.stakater.com/reload': 'db', ...kind('configmap') }, [0, 0]],
  ])('with %j, changes of the ConfigMap and then the Secret lead to %j restarts', async (annotations, counts) => {
    const { counts: seen, lines } = await restarts(annotations);
    expect(seen).toEqual(counts);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('any other value is ignored and warned about', async () => {
    const { counts, lines } = await restarts({ ...auto, ...match('true'), ...kind('Secret') });
    expect(counts).toEqual([1, 2]);
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([
      expect.stringMatching(/Deployment default\/web: annotation reloader.stakater.com\/match="true" names no kinds/),
      expect.stringMatching(/reloader.stakater.com\/kind="Secret" names no kinds/),
    ]);
  });

  it('the log says why a change of an excluded kind restarts nothing', async () => {
    const { lines } = await restarts({ ...auto, ...kind('configmap') });
    const leftAlone = lines.find(({ message }) => message === 'Deployment default/web not restarted');
    expect(JSON.stringify(leftAlone?.fields)).toContain('the workload is narrowed to other kinds of sources');
  });

  it('a workload that removes them is restarted for changes made meanwhile, as with an exclude list', async () => {
    const harness = new Harness();
    harness.seed(...sources, deployment({ name: 'web', annotations: auto, envFrom }));
    await harness.start();
    await harness.patch('Deployment', 'web', { metadata: { annotations: kind('configmap') } });
    await harness.clock.advance(20_000);
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reloader.stakater.com/kind': null } } });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });
});
