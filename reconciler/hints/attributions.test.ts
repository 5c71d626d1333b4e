import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { at } from '../../shared/domain/plan/records.fixture';
import { Attributions, type AttributedState } from './attributions';
import { changeRecord } from '../channel/channel.fixture';
import { hintOf, type Hint } from './hint';

let clock: FakeClock;
let attributions: Attributions;

beforeEach(() => {
  clock = new FakeClock();
  attributions = new Attributions(clock);
});

function state(digest: string, uid = 'uid-app'): AttributedState {
  return { uid, digest };
}

function by(user: string, seconds = 0, manager?: string): Hint {
  return { ...hintOf(changeRecord({ user, observedAtMs: at(seconds) }), 0), manager };
}

describe('Attributions', () => {
  it('are kept for ten minutes', async () => {
    attributions.add('app', state('blue'), [by('alice')], 'both');
    await clock.advance(600_000);
    expect(attributions.get('app', 'blue')).toMatchObject({ users: ['alice'], path: 'both' });
    await clock.advance(1);
    expect(attributions.get('app', 'blue')).toBeUndefined();
  });

  it('name users newest first whatever the order of their arrival', () => {
    attributions.add('app', state('blue'), [by('bob', 5, 'helm')], 'both');
    attributions.add('app', state('blue'), [by('alice', 1, 'kubectl')], 'both');
    expect(attributions.get('app', 'blue')).toMatchObject({ users: ['bob', 'alice'], manager: 'helm' });
    attributions.add('app', state('blue'), [by('carol', 9)], 'both');
    expect(attributions.get('app', 'blue')).toMatchObject({
      users: ['carol', 'bob', 'alice'],
      manager: 'helm',
      observedAtMs: at(9),
    });
  });

  it('keep the first author even if that record arrives last, and count those who have no room', () => {
    for (let i = 1; i <= 9; i++) attributions.add('app', state('blue'), [by(`user-${String(i)}`, i)], 'both');
    attributions.add('app', state('blue'), [by('mallory', 0)], 'both');
    expect(attributions.get('app', 'blue')).toMatchObject({
      users: ['user-9', 'user-8', 'user-7', 'user-6', 'mallory'],
      moreUsers: 5,
      firstUser: 'mallory',
    });
  });

  it('keep the path on which the change was first noticed', () => {
    attributions.add('app', state('blue'), [], 'webhook');
    attributions.add('app', state('blue'), [by('alice')], 'both');
    expect(attributions.get('app', 'blue')).toMatchObject({ users: ['alice'], path: 'webhook' });
  });

  it('keep the state before this one, but not the one before that', () => {
    for (const color of ['blue', 'green']) attributions.add('app', state(color), [by('alice')], 'both');
    expect(attributions.get('app', 'blue')).toBeDefined();
    attributions.add('app', state('red'), [by('alice')], 'both');
    expect(attributions.get('app', 'blue')).toBeUndefined();
    expect(attributions.get('app', 'red')).toBeDefined();
  });

  it('do not name the author of a state for the return to it', () => {
    attributions.add('app', state('blue'), [by('alice')], 'both');
    attributions.shown('app', state('blue'));
    expect(attributions.get('app', 'blue')).toBeDefined();
    attributions.shown('app', state('green'));
    expect(attributions.get('app', 'blue')).toBeDefined();
    attributions.shown('app', state('blue'));
    expect(attributions.get('app', 'blue')).toBeUndefined();
  });

  it('name the author of a state that is shown only after it was announced', () => {
    attributions.add('app', state('blue'), [by('alice')], 'both');
    attributions.add('app', state('green'), [by('bob')], 'both');
    attributions.shown('app', state('green'));
    expect(attributions.get('app', 'green')).toMatchObject({ users: ['bob'] });
  });

  it('do not name the author of a state for its creation under another uid', () => {
    attributions.add('app', state('blue'), [by('alice')], 'both');
    attributions.shown('app', state('blue', 'uid-next'));
    expect(attributions.get('app', 'blue')).toBeUndefined();
    attributions.add('app', state('blue'), [by('alice')], 'both');
    attributions.add('app', state('blue', 'uid-next'), [by('bob')], 'both');
    expect(attributions.get('app', 'blue')).toMatchObject({ users: ['bob'] });
  });

  it('are evicted for the source that has not changed for longest', () => {
    for (let i = 0; i < 4_096; i++) attributions.add(`app-${String(i)}`, state('blue'), [by('alice')], 'both');
    attributions.add('app-0', state('green'), [by('alice')], 'both');
    attributions.add('another', state('blue'), [by('alice')], 'both');
    expect(attributions.get('app-1', 'blue')).toBeUndefined();
    expect(attributions.get('app-0', 'green')).toBeDefined();
    expect(attributions.get('app-2', 'blue')).toBeDefined();
  });
});

describe('a hint', () => {
  it('keeps as many key names as have room', () => {
    const names = Array.from({ length: 100 }, (_, i) => String(i).padStart(100, 'x'));
    const { changedKeys } = hintOf(changeRecord({ changed: { added: names, changed: ['color'], removed: names } }), 0);
    expect(changedKeys).toEqual(['color', ...names.slice(0, 9)]);
  });
});
