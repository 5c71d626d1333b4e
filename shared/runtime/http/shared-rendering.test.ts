import { expect, it } from '@jest/globals';
import { FakeClock } from '../fake-clock';
import { SharedRendering } from './shared-rendering';

function world() {
  const clock = new FakeClock();
  const renders: { readonly resolve: (text: string) => void; readonly reject: (error: Error) => void }[] = [];
  const shared = new SharedRendering(
    clock,
    1_000,
    async () => await new Promise((resolve, reject) => renders.push({ resolve, reject })),
  );
  return { clock, renders, shared };
}

it('renders once for concurrent requests', async () => {
  const { clock, renders, shared } = world();
  const requests = [shared.bytes(), shared.bytes()];
  // Only one rendering runs, however long it takes: a second one in parallel would slow down both.
  await clock.advance(5_000);
  requests.push(shared.bytes());
  expect(renders).toHaveLength(1);
  renders[0]?.resolve('up 1');
  expect((await Promise.all(requests)).map(String)).toEqual(['up 1', 'up 1', 'up 1']);
});

it('renders at most once a second', async () => {
  const { clock, renders, shared } = world();
  const first = shared.bytes();
  renders[0]?.resolve('1');
  await first;
  await clock.advance(999);
  expect(String(await shared.bytes())).toBe('1');
  await clock.advance(1);
  const second = shared.bytes();
  renders[1]?.resolve('2');
  expect(String(await second)).toBe('2');
  expect(renders).toHaveLength(2);
});

it('does not keep a failure', async () => {
  const { renders, shared } = world();
  const requests = [shared.bytes(), shared.bytes()];
  renders[0]?.reject(new Error('broken'));
  for (const each of requests) await expect(each).rejects.toThrow('broken');
  const next = shared.bytes();
  renders[1]?.resolve('1');
  expect(String(await next)).toBe('1');
});
