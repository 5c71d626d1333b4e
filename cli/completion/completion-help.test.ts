import { expect, it } from '@jest/globals';
import { helpOf } from '../cluster/cluster-help.fixture';
import { completionCommand } from './completion-command';

const help = `Usage: reroll completion bash|zsh|fish|powershell

Asks.

Options:
  -h, --help  print this help

Shells:
  bash        source <(reroll completion bash)
  zsh         source <(reroll completion zsh), after compinit
  fish        reroll completion fish | source
  powershell  reroll completion powershell | Out-String | Invoke-Expression

For 'kubectl reroll', kubectl completes by itself and asks an executable
kubectl_complete-reroll: the same file as kubectl-reroll, under that name.
`;

it('reroll completion --help', async () => {
  expect(await helpOf('completion', () => completionCommand(process))).toBe(help);
});
