import { describe, expect, it } from '@jest/globals';
import { clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { noAnswer, refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { InstallKey } from './install-key';

const key = Buffer.alloc(32, 7).toString('base64');
const stored: Reply = {
  body: { metadata: { name: 'reroll-digest-key', uid: 'u', resourceVersion: '1' }, data: { key } },
};

function world(handler: (index: number) => Reply | Promise<Reply>) {
  const { client, clock, logger, transport } = clientWorld((_request, index) => handler(index));
  const installKey = new InstallKey({ client, clock, logger, random: zeroRandom, namespace: 'reroll' });
  return { installKey, clock, logger, requests: transport.requests };
}

describe('InstallKey', () => {
  it('is available once the API server returns it', async () => {
    const { installKey, clock } = world(() => stored);
    expect(installKey.digester()).toBeUndefined();
    installKey.start();
    await clock.settle();
    expect(installKey.digester()?.keyId).toMatch(/^[\w-]{8}$/);
  });

  it('is requested again until then', async () => {
    const { installKey, clock, logger } = world((index) => (index < 2 ? refusal(403, 'Forbidden') : stored));
    installKey.start();
    await clock.advance(999);
    expect(installKey.digester()).toBeUndefined();
    await clock.advance(1);
    expect(installKey.digester()).toBeDefined();
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });

  it('is awaited if it does not exist yet: logged once, and nothing is written', async () => {
    const { installKey, clock, logger, requests } = world((index) => (index < 9 ? refusal(404, 'NotFound') : stored));
    installKey.start();
    await clock.advance(200_000);
    expect(installKey.digester()).toBeDefined();
    expect(requests.map(({ method }) => method)).toEqual(Array.from({ length: 10 }, () => 'GET'));
    expect(logger.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: Secret reroll/reroll-digest-key does not exist yet: waiting for the reconciler, which creates it when it ' +
        'starts; until then changes are not reported to the reconcilers',
      'info: the digest key exists now: changes are reported to the reconcilers',
    ]);
  });

  it('is not requested after a stop', async () => {
    const { installKey, clock, requests } = world((index) => (index === 0 ? refusal(500, 'down') : noAnswer()));
    installKey.start();
    await clock.settle();
    installKey.stop();
    await clock.advance(600_000);
    expect(requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
