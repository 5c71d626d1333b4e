import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { at } from '../../shared/domain/plan/records.fixture';
import { boundedChangeRecord } from '../../shared/domain/protocol/change-record';
import { Attributions, type AttributedState } from './attributions';
import { changeRecord } from '../channel/channel.fixture';
import { hintOf, type Hint } from './hint';

let clock: FakeClock;
let attributions: Attributions;

beforeEach(() => {
  clock = new FakeClock();
  attributions = new Attributions(clock);
});

function state(digest: string, uid = 'uid-app', resourceVersion = '10'): AttributedState {
  return { uid, digest, resourceVersion };
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

  it('keep a few states before this one', () => {
    for (let n = 0; n <= 8; n++) attributions.add('app', state(String(n)), [by('alice')], 'both');
    expect(attributions.get('app', '0')).toBeUndefined();
    expect(attributions.get('app', '1')).toBeDefined();
    expect(attributions.get('app', '8')).toBeDefined();
  });

  describe('of some keys', () => {
    let version: number;

    beforeEach(() => {
      version = 9;
    });

    function changes(user: string, digest: string, ...changed: readonly string[]): void {
      const replaces = String(version);
      const hint = hintOf(changeRecord({ user, changed: { changed, added: [], removed: [] }, replaces }), 0);
      attributions.add('app', state(digest, 'uid-app', String(++version)), [hint], 'both');
    }

    it('name who changed one of them last, not who changed others since', () => {
      changes('alice', 'blue', 'color');
      changes('bob', 'large', 'size');
      expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users: ['alice'], changedKeys: ['color'] });
      expect(attributions.get('app', 'large', ['color', 'size'])).toMatchObject({ users: ['bob'] });
      expect(attributions.get('app', 'large')).toMatchObject({ users: ['bob'] });
    });

    it('name nobody if it is not known who changed them, but that the webhook has seen the last change', () => {
      changes('bob', 'large', 'size');
      expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users: [], moreUsers: 0, path: 'both' });
      expect(attributions.get('app', 'large', ['color'])?.firstUser).toBeUndefined();
    });

    it('name nobody if a state that nobody announced has been in between: its author may have changed them', () => {
      changes('alice', 'blue', 'color');
      attributions.shown('app', state('unannounced'));
      attributions.shown('app', state('large'));
      changes('bob', 'large', 'size');
      expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users: [], path: 'both' });
    });

    it.each([
      ['12', ['12'], ['alice']],
      ['12', ['13'], []],
      ['13', ['12'], []],
      ['12', ['18', '12'], ['alice']],
      ['12', ['18', undefined, '13'], []],
      ['12', ['11', '13'], []],
    ])(
      'name nobody if a state may have been in between: after one with version %s, and writes that replaced %j',
      (resourceVersion, replaced, users) => {
        const announced = (user: string, key: string, replaces: string | undefined): Hint => ({
          ...hintOf(changeRecord({ user, changed: { changed: [key], added: [], removed: [] } }), 0),
          replaces,
        });
        const byAlice = [announced('alice', 'color', '11')];
        attributions.add('app', state('blue', 'uid-app', resourceVersion), byAlice, 'both');
        const byBob = replaced.map((version) => announced('bob', 'size', version));
        attributions.add('app', state('large', 'uid-app', '19'), byBob, 'both');
        expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users });
      },
    );

    it('name the author of a creation for a key that it does not have, because the object before may have had it', () => {
      const changed = { changed: [], added: ['size'], removed: [] };
      attributions.add(
        'app',
        state('new', 'uid-app', '9'),
        [hintOf(changeRecord({ user: 'alice', changed }), 0)],
        'both',
      );
      changes('bob', 'large', 'size');
      expect(attributions.get('app', 'new', ['color'])).toMatchObject({ users: ['alice'] });
      expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users: ['alice'] });
    });

    it('name nobody who changed them in a later state', () => {
      changes('alice', 'blue', 'color');
      changes('bob', 'large', 'size');
      changes('carol', 'red', 'color');
      expect(attributions.get('app', 'large', ['color'])).toMatchObject({ users: ['alice'] });
    });

    it('name the last author if not all keys that were changed may be known', () => {
      changes('alice', 'blue', 'color');
      changes('bob', 'many', ...Array.from({ length: 200 }, (_, index) => `key-${String(index)}`));
      changes('carol', 'none');
      expect(attributions.get('app', 'many', ['color'])).toMatchObject({ users: ['bob'] });
      expect(attributions.get('app', 'none', ['color'])).toMatchObject({ users: ['carol'] });
    });

    it('name the last author if a record had no room for the names of all keys that were changed', () => {
      changes('alice', 'blue', 'k150');
      const keys = Array.from({ length: 200 }, (_, index) => `k${String(index)}`);
      const { changed } = boundedChangeRecord(changeRecord({ changed: { changed: keys, added: [], removed: [] } }));
      changes('bob', 'many', ...changed.changed);
      expect(attributions.get('app', 'many', ['k150'])).toMatchObject({ users: ['bob'] });
    });
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
