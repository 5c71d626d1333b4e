import { valueOf } from '../evidence/seen';
import { version as own } from '../../shared/runtime/version';
import { ok, unknown, warning, type Check } from './finding';

interface Stated {
  readonly by: string;
  readonly version: string;
}

/** All parts, and this command, are of one version. */
export const versionsCheck: Check = {
  name: 'versions',
  look: async (facts) => {
    const parts = await facts.parts();
    const health = await facts.health();
    const stated: readonly Stated[] = [
      ...(health.silence ? [] : [{ by: 'the leader', version: health.said.version }]),
      ...(valueOf(parts) ?? []).flatMap(({ name, version, image }) => [
        ...(version === undefined ? [] : [{ by: `the label of ${name}`, version }]),
        ...tagOf(image).map((tag) => ({ by: `the image of ${name}`, version: tag })),
      ]),
    ];
    const versions = new Set(stated.map(({ version }) => version));
    if (versions.size === 0) {
      return unknown(parts.is === 'hidden' ? parts.right : 'neither the leader nor a Deployment tells a version');
    }
    const all = isVersion(own) ? [...stated, { by: 'this command', version: own }] : stated;
    const groups = [...new Set(all.map(({ version }) => version))].map((version) => ({
      version,
      by: all.filter((each) => each.version === version).map(({ by }) => by),
    }));
    const [first] = groups;
    if (groups.length === 1 && first) return ok(`all parts are of version ${first.version}`);
    return warning(
      `versions differ: ${groups.map(({ version, by }) => `${version} (${by.join(', ')})`).join(', ')}`,
      versions.size === 1
        ? `use this command of version ${[...versions].join('')}`
        : 'finish the upgrade: all parts and this command should be of one version',
    );
  },
};

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+/.test(text);
}

/** The tag of an image, if it is a version. A mirror may have tags of its own. */
function tagOf(image: string | undefined): readonly string[] {
  const [, tag = ''] = /:v?([^:/@]+)$/.exec(image ?? '') ?? [];
  return isVersion(tag) ? [tag] : [];
}
