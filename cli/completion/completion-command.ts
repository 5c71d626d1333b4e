import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { cliIo } from '../../shared/runtime/options/cli-io';
import { UsageError } from '../../shared/runtime/options/options';
import { shells, shellScripts } from './shell-scripts';

const notes = `Shells:
  bash        source <(reroll completion bash)
  zsh         source <(reroll completion zsh), after compinit
  fish        reroll completion fish | source
  powershell  reroll completion powershell | Out-String | Invoke-Expression

For 'kubectl reroll', kubectl completes by itself and asks an executable kubectl_complete-reroll: the same file as kubectl-reroll, under that name.`;

/** `reroll completion`: the script of a shell. */
export function completionCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: {},
    takes: shells.join('|'),
    notes,
    complete: async () => await Promise.resolve(shells),
    run: async ([named, ...more]) => {
      const shell = shells.find((each) => each === named);
      if (!shell || more.length > 0) {
        throw new UsageError([
          `expected one shell: ${shells.join(', ')}, not ${JSON.stringify([named, ...more].join(' '))}`,
        ]);
      }
      cliIo(process).out(shellScripts[shell]);
      return await Promise.resolve(0);
    },
  };
}
