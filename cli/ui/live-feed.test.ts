import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { sleep } from '../../shared/runtime/clock';
import { LiveFeed, toldNothing, type Told } from './live-feed';
import type { Reading } from './live-reading';
import type { LiveMessage, Standing, WorkloadRow } from './model/live-message';

const leading: Standing = { from: 'leader', leader: 'reroll-0', missing: [], hasHistory: true };
const row = (state = 'in-step'): WorkloadRow => ({ kind: 'Deployment', namespace: 'shop', name: 'web', state });
const reading = (state?: string): Reading => ({ standing: leading, found: { rows: [row(state)], history: [] } });

/** A feed, what it reads next, and how often it did. */
function world(options: { readonly tookMs?: number; readonly namespace?: string } = {}) {
  const clock = new FakeClock();
  const state = { next: reading(), reads: 0 };
  const feed = new LiveFeed({
    clock,
    namespace: options.namespace,
    read: async () => {
      state.reads++;
      const read = state.next;
      await sleep(clock, options.tookMs ?? 0);
      return read;
    },
  });
  return { clock, feed, state };
}

/** A page that takes all news at once. */
function page(feed: LiveFeed) {
  const messages: LiveMessage[] = [];
  let told: Told = toldNothing;
  const take = (): void => {
    const news = feed.news(told);
    if (!news) return;
    messages.push(news.message);
    told = news.told;
  };
  const close = feed.subscribe(take);
  return { messages, close };
}

describe('the feed of all pages', () => {
  it('tells everything at first, and then only what changes', async () => {
    const { clock, feed, state } = world();
    const { messages } = page(feed);
    await clock.advance(2_000);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.rows).toEqual({ isWhole: true, changed: [row()], removed: [] });
    state.next = reading('pending');
    await clock.advance(600);
    expect(messages).toHaveLength(2);
    expect(messages[1]?.rows).toEqual({ isWhole: false, changed: [row('pending')], removed: [] });
    expect(messages[1]?.history).toBeUndefined();
  });

  it('asks as often for twenty pages as for one', async () => {
    const [one, twenty] = [world(), world()];
    page(one.feed);
    const pages = Array.from({ length: 20 }, () => page(twenty.feed));
    await one.clock.advance(10_000);
    await twenty.clock.advance(10_000);
    expect(one.state.reads).toBeGreaterThan(10);
    expect(twenty.state.reads).toBe(one.state.reads);
    expect(pages.every(({ messages }) => messages.length === 1)).toBe(true);
  });

  it('asks for nothing while nobody looks, and again when somebody does', async () => {
    const { clock, feed, state } = world();
    await clock.advance(5_000);
    expect(state.reads).toBe(0);
    const [first, second] = [page(feed), page(feed)];
    await clock.advance(1_000);
    first.close();
    await clock.advance(1_000);
    const { reads } = state;
    expect(reads).toBeGreaterThan(2);
    second.close();
    await clock.advance(60_000);
    expect(state.reads).toBe(reads);
    state.next = reading('blocked');
    const { messages } = page(feed);
    await clock.advance(100);
    expect(messages.at(-1)?.rows?.changed).toEqual([row('blocked')]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('has one loop after a page was closed and opened while an answer was under way', async () => {
    const { clock, feed, state } = world({ tookMs: 100 });
    page(feed).close();
    page(feed);
    await clock.advance(10_000);
    // The first loop had asked once.
    expect(state.reads).toBeLessThanOrEqual(Math.ceil(10_000 / 500) + 2);
  });

  it('does not take an old answer for a newer one', async () => {
    const clock = new FakeClock();
    const answers: ((reading: Reading) => void)[] = [];
    const read = async (): Promise<Reading> => await new Promise((resolve) => void answers.push(resolve));
    const feed = new LiveFeed({ clock, namespace: undefined, read });
    page(feed).close();
    const { messages } = page(feed);
    answers[1]?.(reading('pending'));
    await clock.settle();
    answers[0]?.(reading('in-step'));
    await clock.settle();
    expect(messages.at(-1)?.rows?.changed).toEqual([row('pending')]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('leaves a leader that takes long alone for as long', async () => {
    const { clock, feed, state } = world({ tookMs: 2_000 });
    page(feed);
    await clock.advance(59_900);
    expect(state.reads).toBe(15);
  });

  it.each([
    ['objects', 10_000, 6],
    ['lost', 2_000, 30],
  ] as const)('asks rarely if the answer is from %s', async (from, _pauseMs, reads) => {
    const { clock, feed, state } = world();
    state.next = { ...reading(), standing: { ...leading, from } };
    page(feed);
    await clock.advance(59_900);
    expect(state.reads).toBe(reads);
  });

  it('says that nobody answers, and keeps what was known', async () => {
    const { clock, feed, state } = world();
    const { messages } = page(feed);
    await clock.advance(600);
    const lost: Standing = { from: 'lost', problem: 'no route', missing: [], hasHistory: false };
    state.next = { standing: lost };
    await clock.advance(600);
    expect(messages.at(-1)).toEqual({ standing: lost });
    const late = page(feed);
    await clock.advance(2_100);
    expect(late.messages[0] ?? feed.news(toldNothing)?.message).toMatchObject({
      standing: lost,
      rows: { changed: [row()] },
    });
  });

  it('names the one namespace that is read', async () => {
    const { clock, feed } = world({ namespace: 'shop' });
    const { messages } = page(feed);
    await clock.advance(10);
    expect(messages[0]?.namespace).toBe('shop');
  });
});
