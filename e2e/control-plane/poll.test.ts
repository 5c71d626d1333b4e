import { describe, expect, it, jest } from '@jest/globals';
import { NotWorthPolling, pollUntil } from './poll';

const quick = { timeoutMs: 20, intervalMs: 1 };

describe('pollUntil', () => {
  it('tries until there is a value, through failures', async () => {
    const attempt = jest
      .fn<() => Promise<string | undefined>>()
      .mockRejectedValueOnce(new Error('refused'))
      .mockResolvedValueOnce(undefined)
      .mockResolvedValueOnce('value');
    await expect(pollUntil('a value', attempt, { intervalMs: 1 })).resolves.toBe('value');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it('says what it waited for and why the last attempt failed', async () => {
    const refused = new Error('refused');
    await expect(pollUntil('a value', async () => await Promise.reject(refused), quick)).rejects.toMatchObject({
      message: 'timed out after 20 ms waiting for a value: refused',
      cause: refused,
    });
  });

  it('gives no reason of an attempt before the last', async () => {
    const attempt = jest.fn(async (): Promise<undefined> => undefined).mockRejectedValueOnce(new Error('refused'));
    // The clock is read for the deadline and after each attempt. The deadline always passes with the second attempt.
    const now = jest.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValueOnce(0).mockReturnValue(60_000);
    try {
      await expect(pollUntil('a value', attempt, quick)).rejects.toThrow(/waiting for a value$/);
    } finally {
      now.mockRestore();
    }
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  it('ends at once when waiting is pointless', async () => {
    const attempt = jest.fn(async () => await Promise.reject(new NotWorthPolling('it is gone')));
    await expect(pollUntil('a value', attempt)).rejects.toThrow('it is gone');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
