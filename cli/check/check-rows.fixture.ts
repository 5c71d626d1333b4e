import { describe, expect, it } from '@jest/globals';
import type { Check, FindingState } from './finding';
import { TestInstall } from './install.fixture';

/** An install in which one thing is different, and what the check says of it. */
type Row = readonly [
  what: string,
  spoil: (install: TestInstall) => void,
  state: FindingState,
  says: RegExp,
  fix?: RegExp,
];

/** Tests a check in the shipped install, and in each that is different. */
export function rows(check: Check, all: readonly Row[]): void {
  describe(check.name, () => {
    it('is ok in the shipped install', async () => {
      expect((await check.look(new TestInstall().facts())).state).toBe('ok');
    });

    // What is wrong always comes with what to do.
    const cases = all.map(([what, spoil, state, says, fix]) => {
      const usual = state === 'warning' || state === 'failed' ? /./ : /^/;
      return [what, { spoil, state, says, fix: fix ?? usual }] as const;
    });
    it.each(cases)('%s', async (_what, { spoil, state, says, fix }) => {
      const install = new TestInstall();
      spoil(install);
      const finding = await check.look(install.facts());
      expect(finding).toMatchObject({ state, says: expect.stringMatching(says) });
      expect(finding.fix ?? '').toMatch(fix);
    });
  });
}
