import { beforeEach, describe, expect, it } from '@jest/globals';
import { readBearerGates } from '../../shared/domain/gate-settings/bearer-gates';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { appConfig, sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { SourceRef } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { Metrics } from '../metrics/metrics';
import { GateProblems } from './gate-problems';

const title = 'ConfigMap shop/app';

function gates(windows: string): GateSettings | undefined {
  return readBearerGates({ 'reroll.dev/windows': windows }, 'source');
}

let limiting: SourceRef[];
let clock: FakeClock;
let logger: RecordingLogger;
let metrics: Metrics;
let problems: GateProblems;

beforeEach(() => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  metrics = new Metrics({ countByNamespace: false });
  limiting = [];
  problems = new GateProblems({ clock, logger, metrics, rollback: false, limitingIn: () => limiting });
});

async function counted(): Promise<unknown> {
  return (await metrics.registry.series('reroll_annotation_problems_total'))[0]?.value;
}

describe('GateProblems', () => {
  it('tells what is wrong once, until it is something else', async () => {
    problems.seen(title, 'shop', undefined, gates('nights'));
    problems.seen(title, 'shop', gates('nights'), gates('nights'));
    problems.seen(title, 'shop', gates('nights'), gates('evenings'));
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: expect.stringMatching(/^ConfigMap shop\/app: .*"nights" has no effect: /) },
      { level: 'warn', message: expect.stringContaining('"evenings" has no effect: '), fields: { namespace: 'shop' } },
    ]);
    expect(await counted()).toBe(2);
  });

  it.each([
    ['keep', false, true],
    ['rollback', false, true],
    ['stop', false, false],
    ['rollback', true, false],
  ])('of on-failure: %s, with --rollback %j: %j', (onFailure, rollback, isTold) => {
    const source = readBearerGates({ 'reroll.dev/on-failure': onFailure }, 'source');
    problems = new GateProblems({ clock, logger, metrics, rollback, limitingIn: () => limiting });
    for (const before of [undefined, source]) problems.seen(title, 'shop', before, source);
    const message = `${title}: annotation reroll.dev/on-failure="${onFailure}" has no effect: the install has no --rollback; set it, or remove the annotation`;
    expect(logger.lines.map((line) => line.message)).toEqual(isTold ? [message] : []);
  });

  it('has nothing to tell of what is right', () => {
    problems.seen(title, 'shop', undefined, undefined);
    problems.seen(title, 'shop', gates('nights'), gates('Sat'));
    expect(logger.lines).toEqual([]);
  });

  it('tells some of each namespace within an hour, and counts them all', async () => {
    const twenty = async (namespace: string): Promise<void> => {
      for (let n = 0; n < 30; n++) problems.seen(`ConfigMap ${namespace}/app-${n}`, namespace, undefined, gates('x'));
      await clock.advance(60_000);
    };
    await twenty('shop');
    await twenty('pay');
    expect(logger.lines.map(({ fields }) => fields['namespace'])).toEqual([...Array(20).fill('shop'), ...Array(20).fill('pay')]); // prettier-ignore
    expect(logger.lines[19]?.message).toMatch(/ \(and no more of namespace shop for an hour\)$/);
    expect(await counted()).toBe(60);
    await clock.advance(3_600_000);
    await twenty('shop');
    expect(logger.lines).toHaveLength(60);
  });

  it('tells once of a source that is one of too many that limit their users', async () => {
    const [red, blue] = [sourceRecord(), sourceRecord({ data: { color: 'blue' } })];
    const gates = { maxRolling: { count: 5, unit: 'workloads' } } as const;
    const change = { ...appConfig, before: red, after: { ...blue, gates } };
    limiting = [appConfig];
    problems.seenSource(change);
    expect(logger.lines).toEqual([]);
    limiting = [{ ...appConfig, name: 'another' }];
    problems.seenSource({ ...change, before: { ...red, gates } });
    problems.seenSource({ ...change, after: blue });
    expect(logger.lines).toEqual([]);
    problems.seenSource(change);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'ConfigMap shop/app: annotation reroll.dev/max-rolling has no effect: only 100 sources of a namespace may have it; ' +
        'remove it from others, or set it on the namespace',
    ]);
    expect(await counted()).toBe(1);
  });
});
