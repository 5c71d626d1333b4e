import type { RerollCluster } from './reroll-cluster';

/** The warnings that kubectl prints for these objects. Throws if anything else goes wrong. */
export async function kubectlWarnings(
  cluster: RerollCluster,
  args: readonly string[],
  objects: readonly object[] = [],
): Promise<readonly string[]> {
  try {
    // JSON, because the YAML parser of kubectl reads the text `off` as a boolean.
    const stdin = objects.map((object) => JSON.stringify(object)).join('\n');
    await cluster.plane.kubectl([...args, '--warnings-as-errors'], { stdin });
    return [];
  } catch (thrown) {
    const { message } = thrown as Error;
    if (!message.includes('Warning: ')) throw thrown;
    // kubectl has a warning of its own about the first apply to an object that was created otherwise.
    const lines = [...message.matchAll(/Warning: (.*)/g)].map(([, line]) => line ?? '');
    return lines.filter((line) => !line.includes('last-applied-configuration'));
  }
}
