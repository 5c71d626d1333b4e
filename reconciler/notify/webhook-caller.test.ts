import { describe, expect, it } from '@jest/globals';
import { sourceKey } from '../../shared/domain/sources/source';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakePostTransport, ok } from '../../shared/outbound/post.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { Metrics } from '../metrics/metrics';
import { WebhookCaller } from './webhook-caller';

const app = sourceKey({ kind: 'ConfigMap', namespace: 'shop', name: 'app' });
const db = sourceKey({ kind: 'Secret', namespace: 'shop', name: 'db' });
const unavailable = { status: 503, retryAfterMs: 60_000 };

function world() {
  const [clock, transport] = [new FakeClock(), new FakePostTransport()];
  const caller = new WebhookCaller({
    ...{ clock, transport, random: zeroRandom, logger: new RecordingLogger(), settleMs: 1_000 },
    metrics: new Metrics({ countByNamespace: false }).notify,
    mayCall: () => true,
  });
  return { clock, transport, caller };
}

describe('WebhookCaller', () => {
  it('makes a call that has failed once more before it stops: no other replica may know of it', async () => {
    const { clock, transport, caller } = world();
    transport.answerWith(() => unavailable);
    caller.add(app);
    await clock.advance(1_000);
    expect(transport.posts).toHaveLength(1);
    transport.answerWith(() => ok);
    const stopped = caller.stop();
    await clock.advance(0);
    await stopped;
    expect(transport.posts).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('makes no call again that succeeded, and ends though one fails again', async () => {
    const { clock, transport, caller } = world();
    transport.answerWith((index) => (index === 1 ? ok : unavailable));
    caller.add(app);
    await clock.advance(1_000);
    caller.add(db);
    await clock.advance(1_000);
    expect(transport.posts).toHaveLength(2);
    const stopped = caller.stop();
    await clock.advance(0);
    await stopped;
    expect(transport.posts).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });
});
