import type { RerollCluster } from './reroll-cluster';

/** What somebody reads on their terminal who runs kubectl on these objects; nothing else may go wrong. */
export async function kubectlWarnings(
  cluster: RerollCluster,
  args: readonly string[],
  objects: readonly object[] = [],
): Promise<readonly string[]> {
  try {
    // Not as YAML, to whose parser in kubectl the text `off` is a boolean.
    const stdin = objects.map((object) => JSON.stringify(object)).join('\n');
    await cluster.plane.kubectl([...args, '--warnings-as-errors'], { stdin });
    return [];
  } catch (thrown) {
    const { message } = thrown as Error;
    if (!message.includes('Warning: ')) throw thrown;
    // Of the first apply to an object that was made otherwise, kubectl has a warning of its own.
    const lines = [...message.matchAll(/Warning: (.*)/g)].map(([, line]) => line ?? '');
    return lines.filter((line) => !line.includes('last-applied-configuration'));
  }
}
