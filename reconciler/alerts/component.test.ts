import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../shared/runtime/clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { systemRandom } from '../../shared/runtime/random';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import type { Environment } from '../../shared/runtime/options/options';
import { parseReconcilerOptions } from '../options/options';
import { AlertMetrics } from '../metrics/metrics';
import { alertComponent, alertSender } from './component';
import { alertOf } from './alert.fixture';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A receiver on loopback that records what it gets, and may redirect to another path. */
async function receiver(redirectTo?: string) {
  const received: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ request, body });
      if (redirectTo !== undefined) response.writeHead(307, { location: redirectTo });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/T0/s3cret` };
}

function senderOf(env: Environment) {
  const logger = new RecordingLogger();
  const metrics = new AlertMetrics(new MetricRegistry());
  const sender = alertSender(parseReconcilerOptions([], env), {
    ...{ clock: systemClock, random: systemRandom, logger, metrics },
  });
  return { sender, said: () => logger.lines.map(({ message }) => message) };
}

describe('§1.3 the variables of Reloader', () => {
  it.each([
    ['slack', 'application/json', /^\{"attachments":\[\{.*"text":"prod : Reloader detected changes in \*app\* of type/],
    ['TEAMS', 'application/json', /^\{"text":"prod : Reloader detected changes in \*app\* of type/],
    [' gchat ', 'application/json', /^\{"text":"prod : Reloader detected changes in \*app\* of type/],
    ['webhook', 'text/plain', /^prod : Reloader detected changes in app of type CONFIGMAP in namespace shop\. Hence/],
    [undefined, 'text/plain', /^prod : Reloader detected changes in app of type CONFIGMAP in namespace shop\. Hence/],
  ])('ALERT_SINK=%j sends %s to a real receiver', async (sink, contentType, body) => {
    const { received, url } = await receiver();
    const { sender, said } = senderOf({
      ...{ ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: `${url}\n`, ALERT_ADDITIONAL_INFO: ' prod ' },
      ALERT_SINK: sink,
    });
    sender!.send(alertOf());
    await alertComponent(sender!).stop();
    expect(received.map(({ request }) => [request.method, request.url, request.headers['content-type']])).toEqual([
      ['POST', '/T0/s3cret', contentType],
    ]);
    expect(received[0]!.body).toMatch(body);
    expect(said()).toEqual([]);
  });

  it('ALERT_WEBHOOK_PROXY takes them through the proxy', async () => {
    const { received, url } = await receiver();
    const { sender } = senderOf({
      ALERT_ON_RELOAD: 'true',
      ALERT_WEBHOOK_URL: 'http://sink.example/hook',
      ALERT_WEBHOOK_PROXY: new URL(url).origin,
    });
    sender!.send(alertOf());
    await sender!.stop();
    expect(received.map(({ request }) => request.url)).toEqual(['http://sink.example/hook']);
  });

  it('§14.1 a receiver that redirects is not followed', async () => {
    const { received, url } = await receiver('/elsewhere');
    const { sender } = senderOf({ ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url });
    sender!.send(alertOf());
    await sender!.stop();
    expect(received.map(({ request }) => request.url)).toEqual(['/T0/s3cret']);
  });

  it.each([undefined, 'false', '0'])('ALERT_ON_RELOAD=%j sends none', (on) => {
    const { sender, said } = senderOf({ ALERT_ON_RELOAD: on, ALERT_WEBHOOK_URL: 'http://sink.example' });
    expect([sender, said()]).toEqual([undefined, []]);
  });

  it.each([undefined, '', ' \n'])('ALERT_WEBHOOK_URL=%j sends none and says so once', (url) => {
    const { sender, said } = senderOf({ ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url });
    expect(sender).toBeUndefined();
    expect(said()).toEqual(['alerts are switched on and have no address, so none is sent: set ALERT_WEBHOOK_URL']);
  });

  it('an unknown ALERT_SINK gets plain text, and is named in a warning', async () => {
    const { received, url } = await receiver();
    const { sender, said } = senderOf({ ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url, ALERT_SINK: 'Slak' });
    sender!.send(alertOf());
    await sender!.stop();
    expect(received[0]!.request.headers['content-type']).toBe('text/plain');
    expect(said()).toEqual(['unknown ALERT_SINK "slak": alerts are sent as plain text']);
  });
});
