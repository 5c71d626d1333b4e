import { describe, expect, it } from '@jest/globals';
import { lastRestartAnnotation } from '../plan/describe-change';
import { absent } from '../sources/content-digest';
import { changeOf } from '../plan/change.fixture';
import { readRestartCause, whatHappened } from './restart-cause';

const atMs = Date.UTC(2026, 0, 1, 12, 30);
const restart = { atMs, id: '0123abcd' };
const written = (fields: object): string =>
  JSON.stringify({ at: '2026-01-01T12:30:00.000Z', id: '0123abcd', ...fields });

/** Of sources that were neither created nor deleted. */
const lasting = { created: new Set(), deleted: new Set() };

describe('readRestartCause', () => {
  it('reads what a restart writes', () => {
    const text = lastRestartAnnotation('0123abcd', atMs, [changeOf()], { isLeftToNextRun: true });
    const sources = new Map([['cm/app', ['color']]]);
    const changes = new Map([['cm/app', '9f3e11aa']]);
    expect(readRestartCause(text)).toEqual({
      ...restart,
      sources,
      changes,
      ...lasting,
      by: [],
      moreUsers: 0,
      isLeftToNextRun: true,
    });
  });

  it('reads sources, keys and users', () => {
    const text = written({ sources: { 'cm/app': ['color'], 'secret/db': null }, by: ['alice'], byMore: 2 });
    expect(readRestartCause(text)).toEqual({
      ...{ ...restart, changes: new Map(), ...lasting, by: ['alice'], moreUsers: 2, isLeftToNextRun: false },
      sources: new Map([
        ['cm/app', ['color']],
        ['secret/db', undefined],
      ]),
    });
  });

  it.each(['created', 'deleted'] as const)('reads which sources were %s', (because) => {
    const comparison = { restart: true, because, recorded: absent } as const;
    const text = lastRestartAnnotation('0123abcd', atMs, [changeOf({ comparison }), changeOf({ name: 'db' })]);
    const cause = readRestartCause(text)!;
    expect(whatHappened(cause, 'cm/app')).toBe(because);
    expect(whatHappened(cause, 'cm/db')).toBe('changed');
  });

  it('knows a source with the longest name as created', () => {
    const id = `secretproviderclass/${'a'.repeat(253)}`;
    const cause = readRestartCause(written({ sources: { [id]: null }, created: [id] }))!;
    expect([...cause.sources.keys()].map((source) => whatHappened(cause, source))).toEqual(['created']);
  });

  it('reads the rest if somebody else wrote what is no list of sources', () => {
    expect(readRestartCause(written({ sources: { 'cm/app': null }, created: 7, deleted: [{}] }))).toMatchObject(
      lasting,
    );
  });

  it('reads the rest if somebody else wrote what is no id of a change', () => {
    const cause = readRestartCause(written({ sources: { 'cm/app': null }, changes: { 'cm/app': '<b>' } }));
    expect(cause?.changes).toEqual(new Map());
    expect(cause?.sources).toEqual(new Map([['cm/app', undefined]]));
  });

  it('escapes what could control a terminal: whoever may write the workload may write it', () => {
    const cause = readRestartCause(written({ sources: { '\u001b[2J': ['\n'] }, by: ['\u202e'] }));
    expect(JSON.stringify([...(cause?.sources ?? [])])).toBe(JSON.stringify([['\\u001b[2J', ['\\n']]]));
    expect(cause?.by).toEqual(['\\u202e']);
  });

  it.each([
    undefined,
    '',
    '{}',
    `${written({})}x`,
    written({ sources: 7 }),
    written({ by: [1] }),
    written({ byMore: -1 }),
  ])('finds nothing in %j', (text) => {
    expect(readRestartCause(text)).toBeUndefined();
  });
});
