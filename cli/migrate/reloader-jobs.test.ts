import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uses, usesConfigMap, usesSecret, workload } from './difference-rows.fixture';
import { edited, migrate, restartsIn } from './migrate.fixture';

const annotations = fc.dictionary(
  fc.constantFrom(
    'reloader.stakater.com/auto',
    'configmap.reloader.stakater.com/auto',
    'configmap.reloader.stakater.com/reload',
    'secret.reloader.stakater.com/reload',
    'reloader.stakater.com/search',
  ),
  fc.constantFrom('true', 'false', '', 'app', 'db,app'),
);

describe('the lines for a CronJob with annotations on its pod template', () => {
  it('leave what runs the CronJob as it is', () => {
    const flags = fc.constantFrom<readonly string[]>([], ['--auto-reload-all']);
    let edits = 0;
    fc.assert(
      fc.property(annotations, annotations, flags, (metadata, template, given) => {
        const pod = uses(usesConfigMap('app'), usesSecret('db'));
        const manifest = workload({ kind: 'CronJob', metadata, template, pod });
        const finding = migrate([manifest], given).findings.find(({ code }) => code === 'reloader-job-template');
        if (!finding) return;
        edits += finding.edits.length;
        const [before, after] = [manifest, edited(manifest, finding)].map((each) => restartsIn(each, 'CronJob', given));
        for (const kind of ['ConfigMap', 'Secret'] as const) {
          for (const name of ['app', 'db', 'other']) expect(after!(kind, name)).toBe(before!(kind, name));
        }
      }),
    );
    expect(edits).toBeGreaterThan(0);
  });

  it('keep out what the exclude list of its Jobs keeps out', () => {
    const exclude = 'configmaps.exclude.reloader.stakater.com/reload';
    const jobTemplate = { 'reloader.stakater.com/auto': 'true', [exclude]: 'noisy' };
    const pod = uses(usesConfigMap('app'), usesConfigMap('noisy'));
    const after = (metadata: Readonly<Record<string, string>>) => {
      const manifest = workload({ kind: 'CronJob', metadata, jobTemplate, pod });
      const finding = migrate([manifest]).findings.find(({ code }) => code === 'reloader-job-template');
      return restartsIn(edited(manifest, finding!), 'CronJob', []);
    };
    const now = after({});
    expect([now('ConfigMap', 'app'), now('ConfigMap', 'noisy')]).toEqual([true, false]);
    const both = after({ [exclude]: 'app' });
    expect([both('ConfigMap', 'app'), both('ConfigMap', 'noisy')]).toEqual([false, false]);
  });
});
