import { describe, expect, it } from '@jest/globals';
import { letGo, titlesOf } from './held-restarts';

describe('the restarts that a release lets go', () => {
  const restarts = {
    waiting: [
      { title: 'Deployment shop/api', by: 'reroll.dev/hold on namespace shop: release freeze' },
      { title: 'Deployment shop/web', by: 'reroll.dev/hold on the workload' },
      { title: 'Deployment shop/old', by: 'reroll.dev/hold on namespace shop' },
      { title: 'Deployment shop/new', by: 'reroll.dev/hold on namespace shop-2' },
    ],
    untracked: undefined,
  };

  it('wait for a hold that it ends', () => {
    const ended = ['reroll.dev/hold on namespace shop'];
    expect(titlesOf(letGo(restarts, ended))).toEqual(['Deployment shop/api', 'Deployment shop/old']);
  });

  it('are all of a leader that does not say what holds them', () => {
    const waiting = [{ title: 'Deployment shop/api', by: undefined }];
    expect(titlesOf(letGo({ ...restarts, waiting }, ['reroll.dev/hold on namespace shop']))).toEqual([
      'Deployment shop/api',
    ]);
  });
});
