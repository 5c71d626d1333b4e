import { describe, expect, it } from '@jest/globals';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { type PostAnswer, PostError } from '../../shared/outbound/post-transport';
import { FakePostTransport, hang, ok } from '../../shared/outbound/post.fixture';
import { alertOf } from './alert.fixture';
import { AlertMetrics } from '../metrics/metrics';
import { tryTimeoutMs } from '../../shared/outbound/post-transport';
import { AlertSender, alertRate, maxWaiting } from './alert-sender';
import { raw } from './alert-formatters';

function world(answer?: () => PostAnswer | Promise<PostAnswer>, additionalInfo?: string) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const transport = new FakePostTransport(answer);
  const registry = new MetricRegistry();
  const metrics = new AlertMetrics(registry);
  const sender = new AlertSender({ transport, sink: raw, additionalInfo, clock, random: zeroRandom, logger, metrics });
  const send = (count: number, from = 0): void => {
    for (let n = 0; n < count; n++) sender.send(alertOf(`web-${from + n}`));
  };
  /** The workloads that each request names. */
  const named = (): readonly string[][] => transport.texts.map((text) => text.match(/web-\d+/g) ?? []);
  /** Alerts by result, without zeros. */
  const counted = async (): Promise<Record<string, number>> => {
    const series = (await registry.text()).matchAll(/^reroll_alerts_total\{result="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries(
      [...series].map(([, result, n]) => [result!, Number(n)] as const).filter(([, n]) => n > 0),
    );
  };
  const waiting = async (): Promise<number> => Number(/^reroll_alerts_waiting (\d+)$/m.exec(await registry.text())![1]);
  const said = (): readonly string[] => logger.lines.map(({ level, message }) => `${level}: ${message}`);
  return { clock, logger, transport, sender, send, named, counted, waiting, said };
}

const status = (code: number, retryAfterMs?: number) => (): PostAnswer => ({ status: code, retryAfterMs });
const unreachable = (): never => {
  throw new PostError('no answer (ECONNREFUSED)');
};

describe('an alert', () => {
  it('§14.1 is one request for each restart', async () => {
    const { clock, send, named, counted, waiting } = world();
    send(3);
    await clock.settle();
    expect(named()).toEqual([['web-0'], ['web-1'], ['web-2']]);
    expect([await counted(), await waiting()]).toEqual([{ sent: 3 }, 0]);
  });

  it('§14.2 comes after the additional information', async () => {
    const { clock, send, transport } = world(undefined, 'prod *eu*');
    send(1);
    await clock.settle();
    expect(transport.texts[0]).toMatch(/^prod eu : Reloader detected changes in app/);
  });

  it.each([200, 201, 202, 204])('Q58 is received with %i', async (code) => {
    const { clock, send, counted, said } = world(status(code));
    send(1);
    await clock.advance(60_000);
    expect([await counted(), said()]).toEqual([{ sent: 1 }, []]);
  });

  const redirected = ': redirects are not followed; set the address that this one leads to, if you trust it';
  it.each([
    ...[301, 302, 303, 307, 308].map((code) => [code, redirected] as const),
    ...[400, 401, 403, 404, 410].map((code) => [code, ''] as const),
  ])('is not sent again after %i, and the log names no address', async (code, fix) => {
    const { clock, send, counted, logger, transport } = world(status(code));
    send(2);
    await clock.advance(600_000);
    expect(transport.posts).toHaveLength(2);
    expect(await counted()).toEqual({ refused: 2 });
    // An outage is logged once.
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'alerts are lost, restarts go on: see ALERT_WEBHOOK_URL, ALERT_SINK and the proxy',
        fields: { error: `answered ${code}${fix}` },
      },
    ]);
  });

  it.each<[string, () => PostAnswer]>([
    ['408', status(408)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['no connection', unreachable],
  ])('is sent again after %s until it is received', async (_what, answer) => {
    const { clock, send, counted, said, transport } = world(answer);
    send(1);
    await clock.advance(1_500);
    transport.answerWith(() => ok);
    await clock.advance(60_000);
    expect([await counted(), said()]).toEqual([{ sent: 1 }, []]);
    expect(new Set(transport.texts).size).toBe(1);
  });

  it('waits as long as the receiver asks', async () => {
    const { clock, send, transport } = world(status(429, 30_000));
    send(1);
    await clock.advance(29_999);
    expect(transport.posts).toHaveLength(1);
    await clock.advance(1);
    expect(transport.posts).toHaveLength(2);
  });

  it.each<[string, () => PostAnswer | Promise<PostAnswer>, string]>([
    ['cannot be reached', unreachable, 'no answer (ECONNREFUSED)'],
    ['hangs', hang, `no answer within ${tryTimeoutMs} ms`],
    ['asks for an hour', status(503, 3_600_000), 'answered 503'],
  ])('is given up in the end if the receiver %s, which is logged once', async (_what, answer, error) => {
    const { clock, send, counted, logger, transport } = world(answer);
    send(1);
    await clock.advance(600_000);
    expect(transport.posts.length).toBeLessThanOrEqual(6);
    send(1);
    await clock.advance(600_000);
    expect(await counted()).toEqual({ unreachable: 2 });
    expect(logger.lines.map(({ fields }) => fields['error'])).toEqual([error]);
  });

  it('that is received after an outage is logged', async () => {
    const { clock, send, said, transport } = world(status(404));
    send(1);
    await clock.advance(1_000);
    transport.answerWith(() => ok);
    send(1);
    await clock.advance(1_000);
    expect(said()).toEqual([expect.stringMatching(/^warn: alerts are lost/), 'info: alerts are received again']);
  });
});

describe('many alerts', () => {
  it('go out alone as long as there are few, then together, a message a second', async () => {
    const { clock, send, named, counted } = world();
    send(alertRate.burst + 7);
    await clock.settle();
    expect(named()).toHaveLength(alertRate.burst);
    await clock.advance(1_000);
    expect(
      named()
        .slice(0, alertRate.burst)
        .every((names) => names.length === 1),
    ).toBe(true);
    expect(named().slice(alertRate.burst)).toEqual([Array.from({ length: 7 }, (_, n) => `web-${alertRate.burst + n}`)]);
    expect(await counted()).toEqual({ sent: alertRate.burst + 7 });
  });

  it('are no more messages than the receiver takes, none too long, and each alert is in one of them', async () => {
    const { clock, send, transport, named, counted } = world();
    send(90);
    await clock.advance(60_000);
    expect(transport.posts.length).toBeLessThanOrEqual(alertRate.burst + 90 / 8);
    expect(Math.max(...transport.posts.map(({ body }) => body.length))).toBeLessThanOrEqual(4_000);
    expect(named().flat()).toEqual(Array.from({ length: 90 }, (_, n) => `web-${n}`));
    expect(await counted()).toEqual({ sent: 90 });
  });

  it('are counted where there is no room for their names, and nothing is lost silently', async () => {
    const { clock, send, transport, counted, waiting } = world(hang);
    send(1);
    await clock.settle();
    send(maxWaiting + 23, 1);
    await clock.advance(100);
    expect(await waiting()).toBe(1 + maxWaiting + 23);
    transport.answerWith(() => ok);
    await clock.advance(120_000);
    expect(transport.texts.filter((text) => text.includes('and 23 more'))).toHaveLength(1);
    expect(transport.texts.at(-1)).toMatch(/and 23 more; each is in the log and in an Event$/);
    expect([await counted(), await waiting()]).toEqual([{ sent: 1 + maxWaiting, summarised: 23 }, 0]);
  });

  it('of one namespace do not keep those of others from being named', async () => {
    const { clock, sender, transport, counted } = world();
    const shop = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
    for (let second = 0; second < 60; second++) {
      for (let n = 0; n < 30; n++) {
        sender.send(alertOf('', { workload: { kind: 'Deployment', namespace: 'crowd', name: `web-${n}` } }));
      }
      if (second === 30) sender.send(alertOf('', { workload: shop }));
      await clock.advance(1_000);
    }
    await clock.advance(60_000);
    expect(transport.texts.filter((text) => text.includes('checkout'))).toHaveLength(1);
    const { sent = 0, summarised = 0 } = await counted();
    expect(sent + summarised).toBe(60 * 30 + 1);
  });

  it('do not pile up behind a receiver that is gone', async () => {
    const { clock, send, waiting, counted } = world(unreachable);
    for (let minute = 0; minute < 30; minute++) {
      send(1_000, minute * 1_000);
      await clock.advance(60_000);
    }
    await clock.advance(3_600_000);
    expect([await waiting(), clock.pendingTimers]).toEqual([0, 0]);
    expect(await counted()).toEqual({ unreachable: 30_000 });
  });
});

describe('the sender', () => {
  it('returns before anything is answered, and whatever the transport does', async () => {
    const { clock, sender, counted } = world(() => {
      throw new TypeError('broken');
    });
    sender.send(alertOf());
    expect(await counted()).toEqual({});
    await clock.advance(600_000);
    expect(await counted()).toEqual({ unreachable: 1 });
  });

  it('stops at once when there is nothing to send', async () => {
    const { clock, sender, send } = world();
    send(1);
    await clock.settle();
    await sender.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports the last restarts together before it stops', async () => {
    const { clock, sender, send, named, counted } = world();
    send(alertRate.burst + 5);
    const stopping = sender.stop();
    await clock.settle();
    await stopping;
    expect(named().flat()).toHaveLength(alertRate.burst + 5);
    expect(await counted()).toEqual({ sent: alertRate.burst + 5 });
  });

  it.each<[string, () => PostAnswer | Promise<PostAnswer>]>([
    ['hangs', hang],
    ['fails', status(503)],
  ])('stops soon where the receiver %s, and counts what is lost', async (_what, answer) => {
    const { clock, sender, send, counted } = world(answer);
    send(maxWaiting + 20);
    await clock.settle();
    const stopping = sender.stop();
    await clock.advance(2_000);
    await stopping;
    expect(await counted()).toEqual({ stopped: maxWaiting + 20 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('accepts nothing more once it stops', async () => {
    const { sender, send, transport, counted } = world();
    await sender.stop();
    send(1);
    expect(transport.posts).toEqual([]);
    expect(await counted()).toEqual({ stopped: 1 });
  });
});
