import { Command, CommanderError } from 'commander';

/** The parsed command line. */
export type DemoRequest =
  | { readonly kind: 'play'; readonly keep: boolean; readonly picture: string | undefined }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'usage-error'; readonly text: string };

/** `args` are the process arguments without interpreter and script. */
export function parseArguments(args: readonly string[]): DemoRequest {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const program = new Command('npm run demo --')
    .description('Plays Reroll against a simulated cluster, shows a timeline, and ends by itself within a minute.')
    .option('--keep', 'stay up afterwards, with a kubeconfig for kubectl, until Ctrl-C')
    .option('--picture <file>', 'write a picture of one scene to this SVG file, as the README shows it')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError("Run 'npm run demo -- --help' for all flags.")
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write });
  try {
    program.parse(args, { from: 'user' });
    const { keep = false, picture } = program.opts<{ keep?: boolean; picture?: string }>();
    return { kind: 'play', keep, picture };
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { kind: thrown.exitCode === 0 ? 'help' : 'usage-error', text: written.join('') };
  }
}
