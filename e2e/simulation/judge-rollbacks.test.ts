import { beforeEach, describe, expect, it } from '@jest/globals';
import { configMap } from '../apiserver/cluster';
import { writeBy } from '../apiserver/registry';
import { adopted, type Hand } from './history.fixture';

const engine = 'engine-0-1';
const stages = { healthyForMs: 10_000, deadlineMs: 60_000, rollback: true };
const times = { shownWithinMs: 1_000, knownWithinMs: 1_000 };

let hand: Hand;

/** Deployment `web` of ConfigMap `app`, which has been good, and now is bad. */
beforeEach(async () => {
  hand = await adopted();
  await hand.edit('value-2-');
});

const broken = (rules: object = { stages, ...times }) => hand.promises(false, rules);
const putBack = async (color = 'value-1-') => await hand.edit(color, 3_000, {}, engine);

async function keep(color: string, labels: Record<string, string> = { 'reroll.dev/kept': 'good' }): Promise<void> {
  const made = configMap({ name: 'app.reroll-good-1a2b3c4d', labels, data: { color } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'app', uid: 'u' }];
  const object = { ...made, metadata: { ...made.metadata, ownerReferences } };
  await hand.server.registry.create(
    writeBy(engine, engine, 'create'),
    hand.server.kindOf('ConfigMap'),
    'default',
    object,
  );
}

describe('what an engine writes to sources', () => {
  it('may be a content that was there, once for each bad one', async () => {
    await keep('value-1-');
    await putBack();
    await hand.edit('value-3-');
    await putBack();
    expect(broken()).not.toContain('rolled back twice');
    expect(broken()).not.toContain('foreign write');
  });

  it('is wrong where nothing is to be put back', async () => {
    await putBack();
    expect(broken({ ...times })).toEqual(['foreign write']);
  });

  it('is wrong the second time for one content', async () => {
    await putBack();
    await hand.edit('value-2-');
    await putBack();
    expect(broken()).toEqual(['rolled back twice']);
  });

  it.each<[string, readonly string[], boolean]>([
    ['is wrong while the source is held', ['true'], true],
    ['may come after a hold', ['true', 'false'], false],
  ])('%s', async (_when, said, isWrong) => {
    for (const hold of said) await hand.annotateSource('reroll.dev/hold', hold);
    await putBack();
    expect(broken({ stages, ...times, gates: {} }).includes('restart in spite of a gate')).toBe(isWrong);
  });

  it('is wrong if it never was there', async () => {
    await putBack('value-9-');
    expect(broken()).toEqual(['foreign write']);
  });

  it.each([
    ['keeps what never was there', 'value-9-', { 'reroll.dev/kept': 'good' }],
    ['is another object', 'value-1-', {}],
  ])('is wrong if it %s', async (_what, color, labels) => {
    await keep(color, labels);
    expect(broken()).toEqual(['foreign write']);
  });
});

describe('a restart for a content that was put back', () => {
  const restart = async () => await hand.restart('value-2-', { changes: { 'cm/app': '0123abcd' } });

  it('is past a stop while the source says so', async () => {
    await hand.annotateSource('reroll.dev/rolled-back', 'ffffffff,0123abcd');
    await restart();
    expect(broken()).toEqual(['past a stop']);
  });

  it.each([
    ['it was another content', 'reroll.dev/rolled-back', 'ffffffff'],
    ['the source says nothing', 'team', 'x'],
  ])('is none if %s', async (_why, name, value) => {
    await hand.annotateSource(name, value);
    await restart();
    expect(broken()).not.toContain('past a stop');
  });

  it('is none if somebody has resumed it', async () => {
    await hand.annotateSource('reroll.dev/rolled-back', '0123abcd');
    await hand.annotateSource('reroll.dev/resumed', '0123abcd');
    await restart();
    expect(broken()).not.toContain('past a stop');
  });

  it('may be decided before the source says so', async () => {
    await hand.annotateSource('reroll.dev/rolled-back', '0123abcd');
    await restart();
    expect(broken({ stages, ...times, shownWithinMs: 60_000 })).not.toContain('past a stop');
  });
});
