import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { Random } from '../../shared/runtime/random';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { ChangeSender, type ChangeSenderOptions } from './change-sender';
import type { ChannelAnswer, ChannelTransport } from './channel-transport';
import { WebhookMetrics } from '../metrics';

export interface Post {
  readonly address: string;
  readonly batch: string;
  readonly records: readonly ChangeRecord[];
  readonly atMs: number;
  readonly bytes: number;
}

export const replica = '10.0.0.1:8444';

export function changeRecord(changed: Partial<ChangeRecord> = {}): ChangeRecord {
  return {
    v: 1,
    id: 'review-1',
    kind: 'Secret',
    namespace: 'shop',
    name: 'db',
    uid: 'uid-db',
    digest: 'A'.repeat(22),
    keyId: 'AAAAAAAA',
    changed: { added: [], changed: ['password'], removed: [] },
    user: 'alice',
    observedAtMs: 0,
    ...changed,
  };
}

/** A sender on a simulated network. */
export function channelWorld(
  answer: (post: Post, index: number) => ChannelAnswer | Promise<ChannelAnswer>,
  traces?: ChangeSenderOptions['traces'],
) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const metrics = new WebhookMetrics();
  const posts: Post[] = [];
  let ids = 0;
  const random: Random = { float: () => 0, bytes: (length) => Buffer.alloc(length, ++ids) };
  const transport: ChannelTransport = {
    post: async (address, _path, body) => {
      const { batch, records } = JSON.parse(body.toString()) as Pick<Post, 'batch' | 'records'>;
      const post = { address, batch, records, atMs: clock.monotonicMs(), bytes: body.length };
      return await answer(post, posts.push(post) - 1);
    },
  };
  const sender = new ChangeSender({ clock, random, logger, metrics, transport, traces });
  sender.setReplicas(new Set([replica]));
  const dropped = async (): Promise<Readonly<Record<string, number>>> => {
    const { values } = await metrics.channelDroppedRecordsTotal.get();
    return Object.fromEntries(
      values.filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels.reason), value]),
    );
  };
  return { clock, logger, metrics, posts, sender, dropped };
}
