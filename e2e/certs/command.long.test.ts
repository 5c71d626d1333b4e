import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certsCommand } from '../../certs/command';
import { names } from '../../certs/issuing.fixture';
import { startHttpsServer, type HttpsServer } from '../apiserver/https-server';
import { FakeProcess } from '../fake-process';
import { CertsWorld } from './certs.fixture';

let world: CertsWorld;
let https: HttpsServer;
let directory: string;
let flags: readonly string[];

beforeEach(async () => {
  world = new CertsWorld();
  world.register();
  https = await startHttpsServer(world.server, { faults: world.faults });
  directory = await mkdtemp(join(tmpdir(), 'reroll-certs-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await https.writeKubeconfig(kubeconfig, 'keeper');
  flags = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${names.namespace}`, '--log-format=json'];
});

afterEach(async () => {
  await https.close();
  await rm(directory, { recursive: true });
});

function run(more: readonly string[]): { readonly process: FakeProcess; readonly code: Promise<number | undefined> } {
  const process = new FakeProcess();
  const command = certsCommand(process as unknown as NodeJS.Process);
  return { process, code: command.run([...flags, ...more], {}) };
}

describe('reroll certs', () => {
  it('--once does what is owed and returns 0', async () => {
    expect(await run(['--once']).code).toBe(0);
    const { problems, ca } = await world.material();
    expect(problems).toEqual([]);
    expect((await world.caBundles())[1]).toBe(ca?.cert);
  });

  it('--once fails with the reason when it cannot', async () => {
    world.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 403 } });
    await expect(run(['--once']).code).rejects.toThrow(
      /verb "patch" on resource "validatingwebhookconfigurations" in apiGroup "admissionregistration.k8s.io"/,
    );
    expect((await world.material()).problems).toEqual([]);
  });

  it('keeps Services and configurations of other names, and certificates of other lives', async () => {
    const hours = ['--ca-life=30h', '--leaf-life=10h'];
    const services = [
      '--webhook-service=hooks',
      '--channel-service=changes',
      '--validating-webhook-configuration=none',
    ];
    expect(await run(['--once', ...hours, ...services, '--mutating-webhook-configuration=none']).code).toBe(0);
    expect(await world.caBundles()).toEqual([undefined, undefined, undefined]);
    const { ca, problems } = await world.material();
    expect(problems).toEqual([
      '"webhook.crt" is not for reroll-webhook.reroll.svc',
      '"channel.crt" is not for reroll-channel.reroll.svc',
    ]);
    // `notBefore` lies one hour before the certificate is issued.
    expect((ca?.notAfterMs ?? 0) - (ca?.notBeforeMs ?? 0)).toBe(31 * 3_600_000);
  });

  it('--certificates=false keeps the token alone', async () => {
    expect(await run(['--once', '--certificates=false', '--token-life=2h']).code).toBe(0);
    expect(await world.caBundles()).toEqual([undefined, undefined, undefined]);
    const { tokens } = await world.tokens();
    expect((await world.paths())[1]).toBe(`/validate/${tokens[0]!.token}`);
    expect((await world.secret('reroll-ca'))['data']).toBeUndefined();
    expect((await world.secret('reroll-certs'))['data']).toBeUndefined();
  });

  it('as a process is ready once all is kept, serves metrics, and ends when told to', async () => {
    const { process } = run(['--listen=127.0.0.1:0']);
    const address = await process.field('serving metrics and probes', 'address');
    await process.field('caBundle and path written', 'kind');
    const ready = async (): Promise<string> => await (await fetch(`http://${address}/readyz?verbose`)).text();
    let text = await ready();
    while (!text.includes('kept')) text = await ready();
    expect(text).toContain('[+] certificates: kept');
    expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
    expect(await (await fetch(`http://${address}/metrics`)).text()).toContain('reroll_certificate_covered 1');
    process.emit('SIGTERM');
    expect(await process.exited).toBe(0);
  });
});
