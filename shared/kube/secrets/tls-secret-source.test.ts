import { describe, expect, it } from '@jest/globals';
import { clientWorld, zeroRandom } from '../client/client.fixture';
import { FakeBody } from '../transport/fake-transport';
import { TlsSecretSource } from './tls-secret-source';
import { selfSigned, type TestCertificate } from '../../runtime/tls/tls.fixture';

const old = selfSigned('old');
const young = selfSigned('young');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let version = 0;

function secret(leaf: TestCertificate, more: Readonly<Record<string, string | undefined>> = {}): object {
  version += 1;
  const metadata = { name: 'reroll-certs', namespace: 'reroll', uid: 'u1', resourceVersion: String(version) };
  const data = { 'webhook.crt': base64(leaf.cert), 'webhook.key': base64(leaf.key), 'ca.crt': base64(leaf.cert) };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: { ...data, ...more } };
}

/** A source whose server streams what the test provides. */
async function watching(...initial: readonly object[]) {
  const body = new FakeBody();
  const { client, clock, logger, transport } = clientWorld(() => ({ body }));
  const deps = { client, clock, random: zeroRandom, logger };
  const source = new TlsSecretSource(deps, { namespace: 'reroll', secretName: 'reroll-certs', leaf: 'webhook' });
  const changes: (string | undefined)[] = [];
  source.onChange(() => changes.push(source.current()?.cert));
  source.start();
  for (const object of initial) body.line({ type: 'ADDED', object });
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  body.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } });
  await clock.settle();
  const send = async (type: string, object: object): Promise<void> => {
    body.line({ type, object });
    await clock.settle();
  };
  const warnings = (): readonly unknown[] =>
    logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['problem'] ?? fields['error']);
  return { source, transport, changes, send, warnings, logger };
}

describe('TlsSecretSource', () => {
  it('watches one Secret by name, and uses its certificate', async () => {
    const { source, transport, changes } = await watching(secret(old));
    const { pathname, searchParams } = new URL(transport.requests[0]?.path ?? '', 'https://api');
    expect(pathname).toBe('/api/v1/namespaces/reroll/secrets');
    expect(searchParams.get('fieldSelector')).toBe('metadata.name=reroll-certs');
    expect(source.current()).toEqual({ ...old, ca: old.cert });
    expect(source.status.synced).toBe(true);
    expect(changes).toEqual([old.cert]);
    await source.stop();
  });

  it('uses a new certificate at once, and ignores other changes', async () => {
    const { source, send, changes } = await watching(secret(old));
    await send('MODIFIED', secret(old, { 'other.key': 'eA==' }));
    expect(changes).toHaveLength(1);
    await send('MODIFIED', secret(young));
    expect(source.current()).toEqual({ ...young, ca: young.cert });
    expect(changes).toEqual([old.cert, young.cert]);
    await source.stop();
  });

  it.each([
    ['a key for another certificate', { 'webhook.key': base64(young.key) }, 'the private key does not belong'],
    ['a missing key', { 'webhook.key': undefined }, 'Secret reroll/reroll-certs has no key "webhook.key"'],
    ['an empty CA', { 'ca.crt': '' }, 'Secret reroll/reroll-certs has no key "ca.crt"'],
  ])('keeps the current certificate on %s', async (_what, damage, problem) => {
    const { source, send, changes, warnings, logger } = await watching(secret(old));
    await send('MODIFIED', secret(old, damage));
    expect(source.current()).toEqual({ ...old, ca: old.cert });
    expect(warnings()).toEqual([expect.stringContaining(problem)]);
    await send('MODIFIED', secret(young));
    expect(changes).toEqual([old.cert, young.cert]);
    expect(JSON.stringify(logger.lines)).not.toContain('PRIVATE');
    await source.stop();
  });

  it('keeps the current certificate when the Secret is deleted', async () => {
    const { source, send, warnings } = await watching(secret(old));
    await send('DELETED', secret(old));
    expect(source.current()?.cert).toBe(old.cert);
    expect(warnings()).toEqual(['the Secret was deleted']);
    await source.stop();
  });

  it('reports a missing Secret, and uses it when it appears', async () => {
    const { source, send, warnings } = await watching();
    expect(source.current()).toBeUndefined();
    expect(warnings()).toEqual(['there is no complete one: `reroll certs` creates it; see --certs-secret']);
    await send('ADDED', secret(old));
    expect(source.current()?.cert).toBe(old.cert);
    await source.stop();
  });
});
