import { expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { readEvents } from './seen-events';

const asked = { kind: 'Deployment', namespace: 'shop', name: 'web' };

function event(minute: number, component = 'reroll', message = `at ${minute}`): object {
  const lastTimestamp = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const metadata = { name: `web.${minute}`, namespace: 'shop', uid: 'u', resourceVersion: '1' };
  return { metadata, source: { component }, type: 'Normal', reason: 'Reloaded', message, lastTimestamp };
}

it('reads the newest ten Events that Reroll has written about an object', async () => {
  const items = [...Array.from({ length: 12 }, (_, index) => event(index)), event(30, 'kubelet')];
  const { client, transport } = clientWorld(() => ({ body: { items } }));
  const seen = await readEvents(client, asked, {});
  const messages = seen.is === 'there' ? seen.value.map(({ message }) => message) : [];
  expect(messages).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((minute) => `at ${minute}`));
  expect(decodeURIComponent(transport.requests[0]?.path ?? '')).toBe(
    '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.kind=Deployment,involvedObject.name=web',
  );
});

it('escapes what could control a terminal', async () => {
  const { client } = clientWorld(() => ({ body: { items: [event(1, 'reroll', '\u001b[2J')] } }));
  expect(await readEvents(client, asked, {})).toMatchObject({ value: [{ message: String.raw`\u001b[2J` }] });
});

it('says which right is missing', async () => {
  const { client } = clientWorld(() => refusal(403, 'Forbidden'));
  expect(await readEvents(client, asked, {})).toEqual({
    is: 'hidden',
    right: 'you may not list events in namespace shop',
  });
});
