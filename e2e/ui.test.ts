import { afterEach, describe, expect, it } from '@jest/globals';
import { answering, closeAll, kubeconfigFor, kubeServer, lease } from '../cli/cluster/kube-server.fixture';
import { workloadStates } from '../shared/domain/protocol/workload-status';
import { startUi } from './page/ui-process';

const pod = 'reroll-7d9f8b6c5-x2x4z';
const row = { kind: 'Deployment', namespace: 'shop', name: 'web', state: 'in-step' };

afterEach(closeAll);

async function start() {
  const pods = { [pod]: answering(200, { v: 1, workloads: [row] }) };
  const { port } = await kubeServer({ lease: lease(pod), pods });
  return await startUi(kubeconfigFor(`https://127.0.0.1:${port}`, { namespace: 'shop' }));
}

describe('reroll ui, as a process', () => {
  it('serves the page that was built with it, tells what the leader says to who has the token, and ends with 130', async () => {
    const { address, end } = await start();
    const { origin, hash } = new URL(address);
    const script = await (await fetch(`${origin}/page.js`)).text();
    const style = await (await fetch(`${origin}/page.css`)).text();
    expect(script.length).toBeGreaterThan(10_000);
    expect(script.length).toBeLessThan(100_000);
    expect(script).not.toMatch(/\beval\(|new Function\(/);
    expect(style).toContain('prefers-color-scheme');
    expect(workloadStates.filter((state) => !style.includes(`.state-${state}`))).toEqual([]);
    expect((await fetch(`${origin}/api/live`)).status).toBe(401);
    const headers = { authorization: `Bearer ${hash.slice('#token='.length)}` };
    const response = await fetch(`${origin}/api/live`, { headers });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes('"rows"')) break;
    }
    expect(text).toContain(JSON.stringify({ isWhole: true, changed: [row], removed: [] }));
    expect(await end()).toBe(130);
  });

  it('has another token each time', async () => {
    const [first, second] = [await start(), await start()];
    const [one, other] = [first, second].map(({ address }) => new URL(address).hash);
    expect(one).toMatch(/^#token=[0-9a-f]{32}$/);
    expect(other).toMatch(/^#token=[0-9a-f]{32}$/);
    expect(one).not.toBe(other);
    await Promise.all([first.end(), second.end()]);
  });
});
