import { describe, expect, it } from '@jest/globals';
import { historyCommandIn } from '../../cli/history/history-command';
import { memoryFiles } from '../../cli/manifests/manifests.fixture';
import { previewCommandIn } from '../../cli/preview/preview-command';
import { statusCommandIn } from '../../cli/status/status-command';
import { usersCommandIn } from '../../cli/users/users-command';
import { whyCommandIn } from '../../cli/why/why-command';
import type { ClusterWorld } from '../../cli/cluster/cluster-command';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { valuesOf } from '../../cli/completion/completion';
import { commands } from '../reference/flags-page';
import { clusterOf, runAgainst } from './asking.fixture';
import { app, changeColor, running, web } from './situations.fixture';

interface Asked {
  readonly loadIn: (world: ClusterWorld) => LoadedCommand;
  readonly args: readonly string[];
  /** The columns that `-o wide` adds. */
  readonly adds: readonly string[];
}

const files = { files: memoryFiles({}), random: zeroRandom };

const wide: Readonly<Record<string, Asked>> = {
  why: { loadIn: whyCommandIn, args: ['deployment/web'], adds: ['CONTAINER'] },
  status: { loadIn: statusCommandIn, args: [], adds: ['SINCE', 'DETAIL'] },
  users: { loadIn: usersCommandIn, args: ['configmap/app'], adds: ['CONTAINER', 'WHEN'] },
  history: { loadIn: historyCommandIn, args: [], adds: ['TIME', 'RESTART', 'STRATEGY'] },
  preview: {
    loadIn: (world) => previewCommandIn({ ...world, ...files }),
    args: ['configmap/app', '--set=color=green'],
    adds: ['USES'],
  },
};

describe('-o wide', () => {
  it('is offered by the commands that have more to show', () => {
    const offering = commands.filter(([, table]) =>
      Object.values(table).some((row) => row.flag === 'output' && valuesOf(row).includes('wide')),
    );
    const names = offering.map(([command]) => command.replace(/^reroll /, ''));
    expect(names.toSorted()).toEqual(Object.keys(wide).toSorted());
  });

  it.each(Object.entries(wide))('shows more: reroll %s', async (name, { loadIn, args, adds }) => {
    const [harness, engine] = await running({ objects: [app, web], then: changeColor, answer: {} });
    const titles = async (output: string): Promise<readonly string[]> => {
      const cluster = clusterOf(harness, engine, 'leader');
      const { out, err } = await runAgainst(cluster, harness, { name, loadIn }, [...args, '-o', output]);
      expect(err).toBe('');
      return out.split('\n').flatMap((line) => (/^[A-Z ]+$/.test(line) ? line.split(/ {3,}/) : []));
    };
    const [narrow, more] = [await titles('text'), await titles('wide')];
    expect(more.filter((title) => !narrow.includes(title))).toEqual(adds);
    expect(narrow.filter((title) => !more.includes(title))).toEqual([]);
  });

  it.each([
    ['leader', /^deployment\/web +yes +app +all .*at once$/m],
    ['objects', /^deployment\/web +yes +app +all .*at once$/m],
  ] as const)('tells which container uses a source, and when it restarts: by the %s', async (answering, expected) => {
    const [harness, engine] = await running({ objects: [app, web], answer: {} });
    const command = { name: 'users', loadIn: usersCommandIn };
    const cluster = clusterOf(harness, engine, answering);
    expect((await runAgainst(cluster, harness, command, ['configmap/app', '-o', 'wide'])).out).toMatch(expected);
  });
});
