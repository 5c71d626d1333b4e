import { describe, expect, it } from '@jest/globals';
import { checkCommandIn } from '../../cli/check/check-command';
import { isWebhookAnswering } from '../../cli/parts/webhook-trial';
import { getObject } from '../../shared/kube/client/objects';
import { NotFoundError } from '../../shared/kube/errors';
import { configMaps, secrets, type Resource } from '../../shared/kube/resource';
import { namespace } from '../apiserver/cluster';
import { clusterOf, rerollDeployment, runAgainst } from './asking.fixture';
import type { Harness } from './harness';
import { MutatingWebhook } from './mutating-webhook';
import { app, running, web } from './situations.fixture';

const check = { name: 'check', loadIn: checkCommandIn };

async function checked(
  harness: Harness,
  running: Promise<{ readonly out: string; readonly code: number | undefined }>,
) {
  await harness.clock.advance(1_000);
  const { out, code } = await running;
  const rows = [...out.matchAll(/^(ok|warning|failed|unknown) +([\w-]+) +(.*)$/gm)];
  return { code, rows: new Map(rows.map(([, state = '', name = '', says = '']) => [name, `${state}: ${says}`])) };
}

describe('reroll check, of a running leader', () => {
  it('finds it well, and says what nobody may know here', async () => {
    const [harness, engine] = await running({ objects: [app, web, rerollDeployment()], answer: {} });
    const cluster = clusterOf(harness, engine, 'leader');
    const { code, rows } = await checked(harness, runAgainst(cluster, harness, check, []));
    expect(rows.get('engine')).toBe('ok: acting, no workload waits');
    expect(rows.get('watches')).toMatch(/^ok: all \d+ watches follow$/);
    expect(rows.get('lease')).toMatch(/^warning: reroll-0 leads, renewed .*, and is no pod of namespace reroll$/);
    expect(rows.get('clocks')).toMatch(/^ok/);
    expect(rows.get('replicas')).toBe('failed: 0 of 1 pods of Deployment reroll are available');
    expect(code).toBe(1);
  });

  it('does not find a leader that died', async () => {
    const [harness, engine] = await running({ objects: [app, web, rerollDeployment()], answer: {} });
    engine.kill();
    await harness.clock.advance(600_000);
    const cluster = clusterOf(harness, engine, 'objects');
    const { code, rows } = await checked(harness, runAgainst(cluster, harness, check, []));
    expect(rows.get('lease')).toMatch(/^failed: nobody leads: reroll-0 renewed Lease reroll\/reroll .* ago$/);
    expect(rows.get('watches')).toBe('unknown: the leader was not asked');
    expect(code).toBe(1);
  });
});

describe('the trial of the webhook', () => {
  async function tried(resource: Resource, state: MutatingWebhook['state']): Promise<boolean> {
    const webhook = new MutatingWebhook();
    const { harness } = webhook;
    harness.seed(namespace('shop'));
    webhook.state = state;
    const trial = { resource, namespace: 'shop', name: 'reroll-check-1', labels: {}, timeoutMs: 10_000 };
    const answering = isWebhookAnswering(harness.admin, trial);
    await harness.clock.advance(5_000);
    const isAnswering = await answering;
    const stored = getObject(harness.admin, resource, 'shop', trial.name);
    await expect(stored).rejects.toThrow(NotFoundError);
    return isAnswering;
  }

  it.each([
    [configMaps, 'answering', true],
    [secrets, 'answering', true],
    [configMaps, 'frozen', false],
    [configMaps, 'unregistered', false],
  ] as const)('%j is told by the real webhook, %s', async (resource, state, isAnswered) => {
    expect(await tried(resource, state)).toBe(isAnswered);
  });
});
