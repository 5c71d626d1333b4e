import { expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { changeOf } from '../../shared/domain/plan/change.fixture';
import { baselineOf, restartOf } from '../apply/restart.fixture';
import { describeRestart } from './describe-restart';

it('gives each restart its own id, and writes it to marker and annotation', () => {
  let drawn = 0;
  const random = { float: () => 0, bytes: (length: number) => Buffer.alloc(length, ++drawn) };
  const options = { clock: new FakeClock(), random, defaults: { strategy: 'env-vars' } } as const;
  const { workload } = restartOf();
  const restarts = [1, 2].map((sequence) => describeRestart(options, workload, baselineOf(sequence), [changeOf()]));
  expect(restarts.map(({ id }) => id)).toEqual(['01010101', '02020202']);
  for (const { id, marker, annotations } of restarts) {
    expect(marker.env[0]?.value).toMatch(new RegExp(`\\.${id}$`));
    expect(JSON.parse(annotations['reroll.dev/last-restart']!)).toMatchObject({ id });
  }
});
