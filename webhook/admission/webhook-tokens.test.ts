import { expect, it } from '@jest/globals';
import { encodeTokens, webhookTokenKey } from '../../shared/domain/protocol/webhook-token';
import { clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeBody } from '../../shared/kube/transport/fake-transport';
import { WebhookTokens } from './webhook-tokens';

const [old, young] = ['0'.repeat(64), '1'.repeat(64)] as const;
let version = 0;

function secret(text?: string): object {
  const metadata = { name: 'reroll-webhook-token', namespace: 'reroll', uid: 'u1', resourceVersion: `${++version}` };
  const data = text === undefined ? undefined : { [webhookTokenKey]: Buffer.from(text).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata, ...(data && { data }) };
}

const holding = (...tokens: readonly string[]): object =>
  secret(encodeTokens(tokens.map((token, index) => ({ token, sinceMs: Date.UTC(2026, 0, 1 + index) }))));

/** Tokens from an API server that streams what the test chooses. */
async function watching(...initial: readonly object[]) {
  const body = new FakeBody();
  const { client, clock, logger, transport } = clientWorld(() => ({ body }));
  const tokens = new WebhookTokens({ client, clock, random: zeroRandom, logger }, 'reroll');
  tokens.start();
  for (const object of initial) body.line({ type: 'ADDED', object });
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  body.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } });
  await clock.settle();
  const send = async (type: string, object: object): Promise<void> => {
    body.line({ type, object });
    await clock.settle();
  };
  const warnings = (): readonly string[] =>
    logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { tokens, transport, send, warnings, logger };
}

it('watches one Secret by name, and accepts each token in it', async () => {
  const { tokens, transport, logger } = await watching(holding(old, young));
  const { pathname, searchParams } = new URL(transport.requests[0]?.path ?? '', 'https://api');
  expect(pathname).toBe('/api/v1/namespaces/reroll/secrets');
  expect(searchParams.get('fieldSelector')).toBe('metadata.name=reroll-webhook-token');
  expect([old, young, '2'.repeat(64)].map((token) => tokens.isKnown(token))).toEqual([true, true, false]);
  expect(tokens.problem).toBeUndefined();
  expect(logger.lines).toMatchObject([{ level: 'info', fields: { tokens: 2, newest: '2026-01-02T00:00:00.000Z' } }]);
  await tokens.stop();
});

it('accepts a new token at once, and an old one for as long as it is stored', async () => {
  const { tokens, send } = await watching(holding(old));
  await send('MODIFIED', holding(old, young));
  expect([old, young].map((token) => tokens.isKnown(token))).toEqual([true, true]);
  await send('MODIFIED', holding(young));
  expect([old, young].map((token) => tokens.isKnown(token))).toEqual([false, true]);
  await tokens.stop();
});

it('keeps the previous tokens if the Secret cannot be parsed, and logs it', async () => {
  const { tokens, send, warnings } = await watching(holding(old));
  await send('MODIFIED', secret('{"v":2}'));
  await send('MODIFIED', secret('{"v":3}'));
  expect(tokens.isKnown(old)).toBe(true);
  expect(warnings()).toEqual(['the tokens of callers cannot be read, the previous ones stay in use']);
  await send('MODIFIED', holding(young));
  await send('MODIFIED', secret('{"v":4}'));
  expect(warnings()).toHaveLength(2);
  await tokens.stop();
});

it.each<[string, string, object]>([
  ['emptied', 'MODIFIED', secret()],
  ['emptied of its token', 'MODIFIED', secret('')],
  ['deleted', 'DELETED', secret()],
])('knows nobody once the Secret is %s, until there is a token again', async (_what, type, object) => {
  const { tokens, send, warnings } = await watching(holding(old));
  await send(type, object);
  expect(tokens.isKnown(old)).toBe(false);
  expect(tokens.problem).toBe('there is no token yet: reroll certs puts it into Secret reroll/reroll-webhook-token');
  expect(warnings()).toEqual(['no call is accepted: there is no token']);
  await send(type === 'DELETED' ? 'ADDED' : 'MODIFIED', holding(young));
  expect(tokens.isKnown(young)).toBe(true);
  await tokens.stop();
});

it.each<[string, readonly object[]]>([
  ['no Secret', []],
  ['one that is still empty', [secret()]],
  ['one that cannot be parsed', [secret('garbage')]],
])('knows nobody where there is %s', async (_what, objects) => {
  const { tokens, warnings } = await watching(...objects);
  expect(tokens.isKnown(old)).toBe(false);
  expect(tokens.isKnown('')).toBe(false);
  expect(tokens.problem).toContain('there is no token yet');
  expect(warnings()).toHaveLength(1);
  await tokens.stop();
});

it('writes no token into its log', async () => {
  const { tokens, send, logger } = await watching(holding(old));
  await send('MODIFIED', secret(`{"v":1,"tokens":["${old}","${young}"]}`));
  await send('MODIFIED', holding(young));
  await send('DELETED', secret());
  expect(logger.lines.length).toBeGreaterThan(3);
  expect(JSON.stringify(logger.lines)).not.toMatch(/0{20}|1{20}/);
  await tokens.stop();
});
