import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uses, usesConfigMap, usesSecret, workload } from './difference-rows.fixture';
import { edited, migrate, restartsIn } from './migrate.fixture';

const name = fc.constantFrom('app', 'db', 'ca', 'flags');
const list = fc.array(name, { maxLength: 3 }).map((names) => names.join(', '));
const reloaders = fc.dictionary(
  fc.constantFrom(
    'reloader.stakater.com/auto',
    'configmap.reloader.stakater.com/auto',
    'configmap.reloader.stakater.com/reload',
    'secret.reloader.stakater.com/reload',
    'secretproviderclass.reloader.stakater.com/reload',
    'reloader.stakater.com/search',
  ),
  fc.oneof(list, fc.constantFrom('true', 'false', '')),
);

describe('the lines for a workload of Wave', () => {
  it('restart it for every source for which Wave does, and for every one that Reloader’s lists name', () => {
    const flags = fc.constantFrom<readonly string[]>([], ['--auto-reload-all'], ['--enable-csi-integration']);
    fc.assert(
      fc.property(list, list, reloaders, reloaders, flags, (configMaps, secrets, metadata, template, given) => {
        const manifest = workload({
          metadata: {
            ...metadata,
            'wave.pusher.com/update-on-config-change': 'true',
            'wave.pusher.com/extra-configmaps': configMaps,
            'wave.pusher.com/extra-secrets': secrets,
          },
          template,
          pod: uses(usesConfigMap('used'), usesSecret('used')),
        });
        const before = restartsIn(manifest, 'Deployment', given);
        const finding = migrate([manifest], given).findings.find(({ code }) => code === 'wave-opt-in');
        const after = edited(manifest, finding!);
        const now = restartsIn(after, 'Deployment', given);
        expect([now('ConfigMap', 'used'), now('Secret', 'used')]).toEqual([true, true]);
        const listed = (names: string) => names.split(', ').filter((each) => each !== '');
        expect(listed(configMaps).every((each) => now('ConfigMap', each))).toBe(true);
        expect(listed(secrets).every((each) => now('Secret', each))).toBe(true);
        for (const kind of ['ConfigMap', 'Secret', 'SecretProviderClass'] as const) {
          for (const each of ['app', 'db', 'ca', 'flags']) expect(now(kind, each) || !before(kind, each)).toBe(true);
        }
        expect(after).not.toContain('wave.pusher.com');
      }),
    );
  });

  it('hold a list that is too long for Reroll as a whole, and then that is reported', () => {
    const names = Array.from({ length: 501 }, (_, index) => `s${index}`).join();
    const metadata = { 'wave.pusher.com/update-on-config-change': 'true', 'wave.pusher.com/extra-secrets': names };
    const manifest = workload({ metadata });
    const [finding] = migrate([manifest]).findings;
    expect(finding!.edits.map(({ line }) => line)).toContain(`secret.reloader.stakater.com/reload: "${names}"`);
    expect(migrate([edited(manifest, finding!)]).findings.map(({ code }) => code)).toEqual(['reloader-limit']);
  });

  it('are not written where the install does not look', () => {
    const metadata = { 'wave.pusher.com/update-on-config-change': 'true', 'wave.pusher.com/extra-secrets': 'ops/ca' };
    const codes = (...flags: readonly string[]) =>
      migrate([workload({ metadata })], flags).findings.map(({ code }) => code);
    expect(codes()).toEqual(['wave-opt-in', 'wave-other-namespace']);
    expect(codes('--namespaces=ops')).toEqual([]);
  });

  it('come with what annotations of Reloader leave out, for which Wave restarts it', () => {
    const here = (metadata: Readonly<Record<string, string>>) => {
      const waved = { 'wave.pusher.com/update-on-config-change': 'true', 'wave.pusher.com/extra-secrets': 'ca' };
      const pod = uses(usesConfigMap('app'), usesSecret('db'));
      return migrate([workload({ metadata: { ...waved, ...metadata }, pod })]).findings[0]?.here;
    };
    const unread = "Reroll does not read Wave's annotations";
    const auto = { 'reloader.stakater.com/auto': 'true' };
    expect(here({})).toBe(`${unread}.`);
    expect(here({ ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' })).toBe(
      `${unread}, but restarts it for the sources that it uses. Other annotations leave out ConfigMap app.`,
    );
    expect(here({ 'reloader.stakater.com/kind': 'configmap' })).toBe(
      `${unread}. Other annotations leave out Secret db and Secret ca.`,
    );
  });

  it('leave a checksum that covers what annotations of Reloader leave out', () => {
    const exclude = 'configmaps.exclude.reloader.stakater.com/reload';
    const metadata = { 'wave.pusher.com/update-on-config-change': 'true', [exclude]: 'app' };
    const pod = uses(usesConfigMap('app'), usesSecret('db'));
    const { findings } = migrate([workload({ metadata, template: { 'checksum/config': 'x' }, pod })]);
    const checksum = findings.find(({ code }) => code === 'checksum-and-restarts');
    expect(checksum).toMatchObject({ fix: expect.stringMatching(/only the checksum can cover ConfigMap app\.$/) });
  });

  it('leave a checksum and leftovers as they are where the install does not look', () => {
    const found = (metadata: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
      const pod = uses(usesConfigMap('app'));
      return migrate([workload({ metadata, template: { 'checksum/config': 'x' }, pod })], flags).findings;
    };
    const waved = { 'wave.pusher.com/update-on-config-change': 'true' };
    expect(found(waved).map(({ code }) => code)).toEqual(['wave-opt-in', 'checksum-and-restarts']);
    expect(found(waved, '--namespaces=ops')).toEqual([]);
    const [left] = found({ 'wave.pusher.com/extra-secrets': 'ca' }, '--namespaces=ops');
    expect(left).toMatchObject({ code: 'wave-leftover', fix: 'Remove them.' });
  });
});
