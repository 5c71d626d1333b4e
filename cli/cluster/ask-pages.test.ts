import { describe, expect, it } from '@jest/globals';
import { workloadPageSchema } from '../../shared/domain/protocol/workload-page';
import { ConnectionError } from '../../shared/kube/errors';
import { askPages, maxPages, maxPagesBytes } from './ask-pages';
import type { LeaderAnswer } from './leader';
import { LeaderSilentError } from './silence';

const rowOf = (name: string) => ({ kind: 'Deployment', namespace: 'shop', name, state: 'in-step' });

/** Asks a leader that answers the question number `index` so, and counts the questions. */
async function asked(answer: (index: number) => Partial<LeaderAnswer>) {
  const paths: string[] = [];
  const cluster = {
    ask: async (path: string): Promise<LeaderAnswer> =>
      await Promise.resolve({ pod: 'reroll-0', body: undefined, bytes: 1_000, ...answer(paths.push(path) - 1) }),
  };
  const told = await askPages(cluster, (token) => `/v1/workloads?continue=${token}`, workloadPageSchema);
  return { told, paths };
}

const page = (index: number, token?: string): Partial<LeaderAnswer> => ({
  body: { v: 1, workloads: [rowOf(`web-${index}`)], ...(token !== undefined && { continue: token }) },
});

function pagesOf(told: Awaited<ReturnType<typeof asked>>['told']) {
  return told.silence ? [] : told.pages;
}

describe('pages', () => {
  it('are asked for until there is no other', async () => {
    const { told, paths } = await asked((index) => page(index, ['one', 'two'][index]));
    expect(paths).toEqual(['', 'one', 'two'].map((token) => `/v1/workloads?continue=${token}`));
    expect(pagesOf(told).flatMap(({ said }) => said.workloads)).toEqual([
      rowOf('web-0'),
      rowOf('web-1'),
      rowOf('web-2'),
    ]);
  });

  it('may be as many as the largest cluster fills', async () => {
    const { told } = await asked((index) => page(index, index < maxPages - 1 ? `token-${index}` : undefined));
    expect(pagesOf(told)).toHaveLength(maxPages);
  });

  it('that never end are not asked for any further', async () => {
    const { told, paths } = await asked((index) => page(index, `token-${index}`));
    expect(paths).toHaveLength(maxPages);
    expect(told).toEqual({
      silence: new LeaderSilentError(
        'endless',
        'the leader reroll-0 sends more than 200 pages or 64 MiB, which no cluster fills: it was not asked any further',
      ),
    });
  });

  it.each([undefined, 'more'])('that are too large together are not kept, if the next is %j', async (token) => {
    const bytes = maxPagesBytes / 4 + 1;
    const { told, paths } = await asked((index) => ({ ...page(index, index < 3 ? 'more' : token), bytes }));
    expect(paths).toHaveLength(4);
    expect(told.silence?.silence).toBe('endless');
  });

  it('are worth nothing if one of them is missing', async () => {
    const silence = new LeaderSilentError('not-ready', 'the leader reroll-0 answers: it does not lead any more');
    const { told } = await asked((index) => {
      if (index === 1) throw silence;
      return page(index, 'more');
    });
    expect(told).toEqual({ silence });
  });

  it('fail if the API server does', async () => {
    const failure = new ConnectionError('ECONNREFUSED');
    await expect(
      asked(() => {
        throw failure;
      }),
    ).rejects.toBe(failure);
  });
});
