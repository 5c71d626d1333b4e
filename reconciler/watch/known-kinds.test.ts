import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { KindsByPlace } from './kinds-by-place';
import { KnownKinds } from './known-kinds';
import type { Watches } from './watches';

let clock: FakeClock;
let standing: ReturnType<Watches['sourcesStanding']>;
let told: number;
let known: KnownKinds;

beforeEach(() => {
  clock = new FakeClock();
  standing = 'unknown';
  told = 0;
  const listed = async (): Promise<void> => await Promise.resolve();
  known = new KnownKinds({
    clock,
    watches: {
      sourcesStanding: () => standing,
      knownKinds: () => new KindsByPlace([{ kind: 'ConfigMap', namespace: undefined }]),
      listSourcesAgain: listed,
      listAllAgain: listed,
    },
    onMore: () => told++,
  });
  known.start();
});

/** The standing from now on, as the next progress reports it. */
function progress(now: typeof standing): boolean {
  standing = now;
  known.progress();
  return known.hasSynced;
}

describe('the process may act', () => {
  it('once every source is listed, and this is told once', () => {
    expect([progress('unknown'), progress('known'), progress('known')]).toEqual([false, true, true]);
    expect(told).toBe(1);
  });

  it('if some may not be listed for a while, though no watch tells of it again', async () => {
    expect(progress('refused')).toBe(false);
    await clock.advance(14_999);
    expect([progress('refused'), told]).toEqual([false, 0]);
    await clock.advance(1);
    expect([known.hasSynced, told]).toEqual([true, 1]);
  });

  it('not for refusals with another answer between them', async () => {
    progress('refused');
    await clock.advance(10_000);
    progress('unknown');
    progress('refused');
    await clock.advance(14_999);
    expect(known.hasSynced).toBe(false);
  });

  it('after a minute, whatever the API server answers', async () => {
    await clock.advance(60_000);
    expect([known.hasSynced, told]).toEqual([true, 1]);
  });

  it('no longer when everything is listed again, but a refusal that has lasted counts at once', async () => {
    progress('refused');
    await clock.advance(15_000);
    known.forget();
    expect([progress('unknown'), progress('refused')]).toEqual([false, true]);
  });

  it('no longer when everything is listed again, and a refusal that has not lasted begins anew', async () => {
    progress('refused');
    await clock.advance(14_999);
    known.forget();
    progress('refused');
    await clock.advance(14_999);
    expect(known.hasSynced).toBe(false);
  });

  it('without a refusal that has lasted, if the sources were allowed since', async () => {
    progress('refused');
    await clock.advance(15_000);
    progress('known');
    known.forget();
    expect(progress('refused')).toBe(false);
  });

  it('and no timer is left after the end', () => {
    progress('refused');
    known.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
