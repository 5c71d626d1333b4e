import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProtocolError } from '../errors';
import { LastSyncVersion } from './last-sync-version';

let version: LastSyncVersion;
/** How often the server was asked for its newest version. */
let asked: number;

beforeEach(() => {
  version = new LastSyncVersion();
  asked = 0;
});

async function compareWith(newest: string) {
  return await version.compareWithServer(async () => {
    asked++;
    return await Promise.resolve(newest);
  });
}

describe('the version from which a watch resumes', () => {
  it('is that of the list, and then the newest that the watch has shown', () => {
    expect(version.current).toBeUndefined();
    version.listed('5');
    expect(version.current).toBe('5');
    version.advance('7');
    expect(version.current).toBe('7');
    version.forget();
    expect(version.current).toBeUndefined();
  });

  it.each([undefined, ''])('is unchanged by an event without one: %j', (none) => {
    version.listed('5');
    version.advance(none);
    expect(version.current).toBe('5');
  });

  it('must be in a list', () => {
    expect(() => version.listed('')).toThrow(ProtocolError);
  });
});

describe('a server that is behind', () => {
  it('is found once a watch has broken off, and the next attempt lists', async () => {
    version.listed('100');
    version.doubt();
    expect(await compareWith('99')).toEqual({ version: '100', newest: '99' });
    expect(version.current).toBeUndefined();
  });

  it('is not looked for as long as no watch has broken off since the list', async () => {
    version.doubt();
    version.listed('100');
    expect(await compareWith('99')).toBeUndefined();
    expect([asked, version.current]).toEqual([0, '100']);
  });

  it('is not looked for where the next attempt lists anyway', async () => {
    version.doubt();
    expect(await compareWith('99')).toBeUndefined();
    expect(asked).toBe(0);
  });

  it.each(['100', '101'])('is not one whose newest version is %s: it is asked once', async (newest) => {
    version.listed('100');
    version.doubt();
    expect(await compareWith(newest)).toBeUndefined();
    expect(await compareWith('99')).toBeUndefined();
    expect([asked, version.current]).toEqual([1, '100']);
  });

  it('is looked for again after an error, which proves nothing', async () => {
    version.listed('100');
    version.doubt();
    await expect(version.compareWithServer(async () => await Promise.reject(new Error('reset')))).rejects.toThrow();
    expect(await compareWith('99')).toEqual({ version: '100', newest: '99' });
  });
});
