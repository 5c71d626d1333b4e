import { readdirSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../shared/domain/errors';
import { buildHelm, helm } from '../control-plane/helm';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { currentVersion, type ReleaseCheck } from './check-release';

/** Checks that Helm packages the chart under the name that an install asks for. */
export const chartCheck: ReleaseCheck = {
  name: 'the chart is packaged',
  problems: async (root) => {
    await buildHelm({ print: (line) => console.log(line) });
    const temporary = createTemporaryDir();
    try {
      const chart = path.join(root, 'deploy/chart/reroll');
      await helm(['package', chart, '--destination', temporary.dir], undefined);
      const expected = `reroll-${currentVersion(root)}.tgz`;
      const made = readdirSync(temporary.dir);
      return made.includes(expected) ? [] : [`Helm made ${made.join(', ')} of the chart, and not ${expected}`];
    } catch (error) {
      return [errorMessage(error)];
    } finally {
      temporary.dispose();
    }
  },
};
