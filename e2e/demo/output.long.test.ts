import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { Demo } from './demo';
import { Guard } from './guard';
import { picture, pictureScene, sceneLines } from './picture';
import { scenes } from './scenes';
import { Timeline } from './timeline';

/** The scenes before anything is killed. `demo.long.test.ts` plays the whole demo, started as a person starts it. */
const played = 3;

describe('the first scenes of the demo', () => {
  const { dir, dispose } = createTemporaryDir();
  const guard = new Guard(dir);
  let shown = '';
  const timeline = new Timeline({
    write: (text) => (shown += text),
    colour: false,
    nowMs: () => systemClock.nowMs(),
  });
  const demo = new Demo({ clock: systemClock, timeline, guard, temporaryDir: dir, scenes: scenes.slice(0, played) });
  let ok: boolean;

  beforeAll(async () => {
    ok = await demo.play();
  });

  afterAll(async () => {
    await demo.close();
    await guard.release();
    dispose();
  });

  it('hold what they promise, and a last line counts it', () => {
    expect(shown).not.toContain('FAILED');
    expect(ok).toBe(true);
    expect(shown.trimEnd().split('\n').at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
  });

  it('are readable: no line is wider than 100 columns, and none has colours without a terminal', () => {
    expect(shown.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(shown).not.toContain('\u001b[');
  });

  it('tell of a rollout in the order in which it took place', () => {
    const times = sceneLines(shown, 3).flatMap((line) => /^ +([\d.]+) s/.exec(line)?.[1] ?? []);
    expect(times.length).toBeGreaterThan(5);
    expect(times.map(Number)).toEqual(times.map(Number).toSorted((left, right) => left - right));
  });

  it('are what the picture in the README shows, but for the times', () => {
    const withoutTimes = (text: string): string => text.replaceAll(/\d+\.\d\d s/g, '#.## s').replaceAll(/ +#/g, ' #');
    const picturePath = path.join(__dirname, '..', '..', 'docs', 'demo.svg');
    expect(withoutTimes(picture(sceneLines(shown, pictureScene)))).toBe(
      withoutTimes(readFileSync(picturePath, 'utf8')),
    );
  });

  it('show no content of a Secret', () => {
    expect(shown).toContain('Secret db-credentials: password');
    expect(shown).not.toContain('sesame');
  });
});
