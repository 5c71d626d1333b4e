import type { CliCommand } from './shared/runtime/options/cli';

/** What `reroll` can do: a row is a command. */
export const commands: readonly CliCommand[] = [
  {
    name: 'reconciler',
    summary: 'Watches sources and restarts the workloads that use them.',
    isDefault: true,
    load: async () => (await import('./reconciler/process/assemble')).reconcilerCommand(process),
  },
  {
    name: 'webhook',
    summary: 'Sees each change as it is made, and tells the reconcilers who made it.',
    load: async () => (await import('./webhook/process/assemble')).webhookCommand(process),
  },
  {
    name: 'certs',
    summary: 'Issues and renews the certificates of the webhook and of the change channel.',
    load: async () => (await import('./certs/command')).certsCommand(process),
  },
  {
    name: 'why',
    alias: 'explain',
    summary: 'Says why a workload did or did not restart.',
    load: async () => (await import('./cli/why/why-command')).whyCommand(process),
  },
  {
    name: 'status',
    summary: 'Shows the workloads of a namespace, and what each waits for.',
    load: async () => (await import('./cli/status/status-command')).statusCommand(process),
  },
  {
    name: 'users',
    summary: 'Shows who uses a ConfigMap or Secret, and what a change would restart.',
    load: async () => (await import('./cli/users/users-command')).usersCommand(process),
  },
  {
    name: 'history',
    summary: 'Shows the restarts of a namespace or a workload, what for, and how they ended.',
    load: async () => (await import('./cli/history/history-command')).historyCommand(process),
  },
  {
    name: 'preview',
    summary: 'Shows what a change would restart that is not made yet: manifests, or keys of a ConfigMap or Secret.',
    load: async () => (await import('./cli/preview/preview-command')).previewCommand(process),
  },
  {
    name: 'pause',
    summary: 'Holds the restarts of a workload, a source, a namespace or of everything. What is owed stays owed.',
    load: async () => (await import('./cli/pause/pause-command')).pauseCommand(process),
  },
  {
    name: 'resume',
    summary: 'Ends what reroll pause has begun, and says what still holds.',
    load: async () => (await import('./cli/pause/resume-command')).resumeCommand(process),
  },
  {
    name: 'rollback',
    summary: 'Puts the last content of a ConfigMap or Secret back with which all of its users were healthy.',
    load: async () => (await import('./cli/rollback/rollback-command')).rollbackCommand(process),
  },
  {
    name: 'ui',
    summary: 'Shows workloads, restarts and their causes on a page in your browser.',
    load: async () => (await import('./cli/ui/ui-command')).uiCommand(process),
  },
  {
    name: 'check',
    summary: 'Says whether the install is well, and what to do.',
    load: async () => (await import('./cli/check/check-command')).checkCommand(process),
  },
  {
    name: 'completion',
    summary: 'Prints a script that completes commands, flags and names in a shell.',
    load: async () => (await import('./cli/completion/completion-command')).completionCommand(process),
  },
  {
    name: 'lint',
    summary: 'Finds restart annotations in manifests that do not do what they seem to, for CI.',
    load: async () => (await import('./cli/lint/lint-command')).lintCommand(process),
  },
  {
    name: 'migrate',
    summary: 'Finds what Reroll does differently in manifests that were written for Reloader, Wave or checksums.',
    load: async () => (await import('./cli/migrate/migrate-command')).migrateCommand(process),
  },
];
