import { createInterface } from 'node:readline';
import { InterruptedError } from '../cluster/cluster-command';

/**
 * Asks the person at the terminal, and returns the line; an empty one for Ctrl-D, and undefined if nobody is there to
 * ask. On the error stream: the output may go to a file.
 *
 * @throws InterruptedError at Ctrl-C
 */
export async function askPerson(
  { stdin: input, stderr: output }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  question: string,
): Promise<string | undefined> {
  if (!input.isTTY) return undefined;
  const terminal = createInterface({ input, output });
  const ended = await new Promise<string | InterruptedError | undefined>((resolve) => {
    terminal.once('SIGINT', () => resolve(new InterruptedError()));
    terminal.once('close', () => resolve(undefined));
    terminal.question(question, resolve);
  });
  terminal.close();
  if (typeof ended === 'string') return ended;
  // The cursor is still behind the question.
  output.write('\n');
  if (ended) throw ended;
  return '';
}
