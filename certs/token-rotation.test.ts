import { describe, expect, it } from '@jest/globals';
import { encodeTokenState, decodeTokenState, type StoredTokens } from './token-data';
import { acceptedMs, droppedMs, nextTokenStep, tokenToName, type NamedTokens } from './token-rotation';

const startMs = Date.UTC(2026, 0, 1);
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const lifeMs = 720 * hourMs;

const [old, fresh, third] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

/** As read from the Secret: tokens with their age in ms at the start. */
function stored(ages: Readonly<Record<string, number>>, namedForMs?: number): StoredTokens {
  const tokens = Object.entries(ages).map(([token, ageMs]) => ({ token, sinceMs: startMs - ageMs }));
  return { tokens, namedSinceMs: namedForMs === undefined ? undefined : startMs - namedForMs, problem: undefined };
}

function step(state: StoredTokens, live: NamedTokens | undefined) {
  return nextTokenStep(state, live, startMs, lifeMs);
}

const rotating = { [old]: lifeMs, [fresh]: 2 * minuteMs };

describe('nextTokenStep', () => {
  it.each<[string, StoredTokens, string]>([
    ['nothing', stored({}), 'there is no token yet'],
    ['something unreadable', { ...stored({}), problem: '"tokens.json" does not hold tokens' }, 'does not hold tokens'],
  ])('creates the first token if there is %s', (_what, state, because) => {
    expect(step(state, [])).toEqual({ do: 'make', kept: [], because: expect.stringContaining(because) as unknown });
  });

  it('creates another one when the life of the token is over, and keeps the old one', () => {
    expect(step(stored({ [old]: lifeMs - 1 }), [])).toEqual({ do: 'nothing' });
    expect(step(stored({ [old]: lifeMs }), [])).toMatchObject({ do: 'make', kept: [{ token: old }] });
  });

  it.each<[string, number | undefined, NamedTokens | undefined, string | object]>([
    ['while the registrations cannot be read', 20 * minuteMs, undefined, 'wait'],
    ['while one of them names the old one', undefined, [fresh, old], 'wait'],
    ['while one of them names none', undefined, [fresh, undefined], 'wait'],
    ['when all of them do, it remembers since when', undefined, [fresh, fresh], { namedSinceMs: startMs }],
    ['when one of them no longer does, it resets', 9 * minuteMs, [fresh, old], { namedSinceMs: undefined }],
    ['when one of them no longer does, although the time is over', droppedMs, [undefined], { namedSinceMs: undefined }],
    ['for less than ten minutes', droppedMs - 1, [fresh], 'wait'],
    ['for ten minutes', droppedMs, [fresh], { tokens: [{ token: fresh, sinceMs: startMs - 2 * minuteMs }] }],
    ['with nothing registered', droppedMs, [], { tokens: [{ token: fresh, sinceMs: startMs - 2 * minuteMs }] }],
  ])('drops the old one once every registration has named the new one: %s', (_when, forMs, live, expected) => {
    const decided = step(stored(rotating, forMs), live);
    if (typeof expected === 'string') expect(decided.do).toBe(expected);
    else expect(decided).toMatchObject({ do: 'write', next: expected });
  });

  it('creates no third one while there are two, however old', () => {
    expect(step(stored({ [old]: 3 * lifeMs, [fresh]: 2 * lifeMs }), [old]).do).toBe('wait');
  });

  it.each([
    ['a token of the future', stored({ [old]: -hourMs })],
    ['one of two', stored({ [old]: -2 * hourMs, [fresh]: -hourMs })],
  ])('treats %s as created now: it would never expire', (_what, state) => {
    const decided = step(state, []);
    const now = state.tokens.map(({ token }) => ({ token, sinceMs: startMs }));
    expect(decided).toMatchObject({ do: 'write', next: { tokens: now } });
  });

  it('keeps waiting when the clock is set back a little, and restarts the wait when it is set back by hours', () => {
    expect(step(stored(rotating, -5 * minuteMs), [fresh]).do).toBe('wait');
    expect(step(stored(rotating, -5 * hourMs), [fresh])).toMatchObject({
      ...{ do: 'write', next: { namedSinceMs: startMs } },
    });
  });
});

describe('tokenToName', () => {
  it.each<[string, StoredTokens, NamedTokens | undefined, string | undefined]>([
    ['none if there is none', stored({}), [old], undefined],
    ['the only one at once', stored({ [fresh]: 0 }), [undefined], fresh],
    ['the only one, though it is of the future', stored({ [fresh]: -minuteMs }), [undefined], fresh],
    ['the old one for a minute', stored({ [old]: lifeMs, [fresh]: acceptedMs - 1 }), [old], old],
    ['the new one after it', stored({ [old]: lifeMs, [fresh]: acceptedMs }), [old], fresh],
    ['the old one, when the registrations cannot be read', stored({ [old]: lifeMs, [fresh]: 0 }), undefined, old],
    ['never an older one than the one named already', stored({ [old]: lifeMs, [fresh]: -hourMs }), [old, fresh], fresh],
    ['an accepted one, whatever is named', stored({ [old]: lifeMs, [fresh]: 0 }), [third], old],
  ])('is %s', (_what, state, live, expected) => {
    expect(tokenToName(state, live, startMs)?.token).toBe(expected);
  });
});

describe('a year, minute by minute', () => {
  it('never names a token that some replica or API server of a minute ago would not accept', () => {
    let made = 0;
    let state: StoredTokens = stored({});
    let path: string | undefined;
    const steps: string[] = [];
    for (let nowMs = startMs; nowMs < startMs + 365 * 24 * hourMs; nowMs += minuteMs) {
      // The tokens that the slowest replica accepts, and the one that the slowest API server uses: a minute behind.
      const before = { accepted: state.tokens.map(({ token }) => token), path };
      const decided = nextTokenStep(state, [path], nowMs, lifeMs);
      if (decided.do === 'make' || decided.do === 'write') {
        const token = String(made).padStart(64, '0');
        if (decided.do === 'make') made += 1;
        const next =
          decided.do === 'write'
            ? decided.next
            : { tokens: [...decided.kept, { token, sinceMs: nowMs }], namedSinceMs: undefined };
        // As another keeper reads it from the Secret.
        state = decodeTokenState(encodeTokenState(next, {}));
        steps.push(decided.do);
      }
      path = tokenToName(state, [path], nowMs)?.token;
      const changed = path !== before.path || state.tokens.length !== before.accepted.length;
      if (!changed || nowMs === startMs) continue;
      const now = { accepted: state.tokens.map(({ token }) => token), path };
      for (const replica of [now, before]) {
        for (const server of [now, before]) expect(replica.accepted).toContain(server.path);
      }
    }
    expect(made).toBe(13);
    // Each token but the first takes two more writes: named everywhere, and the old one dropped.
    expect(steps).toHaveLength(13 + 2 * 12);
  });
});
