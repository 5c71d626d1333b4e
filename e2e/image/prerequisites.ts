import { execFileSync } from 'node:child_process';

/** The programs that building and running an image without a container engine needs, each with its Debian package. */
const programs: Readonly<Record<string, string>> = {
  buildah: 'buildah',
  unshare: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
  chroot: 'coreutils',
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
};

/** The properties of a machine that the check needs. */
export interface Machine {
  readonly platform: string;
  readonly userId: number | undefined;
  has(program: string): boolean;
}

/** This machine. */
export const thisMachine: Machine = {
  platform: `${process.platform}-${process.arch}`,
  userId: process.getuid?.(),
  has: (program) => {
    try {
      execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  },
};

/** What is missing, in one sentence; undefined if nothing is. */
export function missingPrerequisites(machine: Machine): string | undefined {
  const missing = Object.keys(programs).filter((program) => !machine.has(program));
  const packages = [...new Set(missing.map((program) => programs[program]))];
  const needs = [
    ...(machine.platform === 'linux-x64' ? [] : [`Linux on x64 (this is ${machine.platform})`]),
    ...(machine.userId === 0 ? [] : ['root (sudo -E env "PATH=$PATH" npm run check:image)']),
    ...(missing.length === 0
      ? []
      : [`${missing.join(', ')} (apt-get install --no-install-recommends ${packages.join(' ')})`]),
  ];
  return needs.length === 0 ? undefined : `The image is not checked: this needs ${needs.join(' and ')}.`;
}
