import type { Mutant } from './mutants';

/** Bugs that ignore the settings in a workload's annotations. */
export const settingsMutants: readonly Mutant[] = [
  {
    what: 'a strategy of its own is not heeded',
    file: 'reconciler/worker/describe-restart.ts',
    from: 'settings.strategy ?? defaults.strategy',
    to: 'defaults.strategy',
  },
  {
    what: 'a settle window of its own is not heeded',
    file: 'reconciler/worker/settle-window.ts',
    from: 'settings.settleMs ?? defaults.settleMs',
    to: 'defaults.settleMs',
  },
  {
    what: 'a Job that is to be left alone is created anew',
    file: 'shared/domain/plan/why-untracked.ts',
    from: "kind === 'Job' && settings.jobPolicy === 'never'",
    to: 'false',
  },
  {
    what: 'a CronJob that is to be left alone is run',
    file: 'shared/domain/plan/why-untracked.ts',
    from: "settings.cronJobPolicy === 'never'",
    to: "settings.cronJobPolicy === 'run-now'",
  },
  {
    what: 'a Job that is left to its next run is created anew',
    file: 'shared/domain/workloads/workload-settings.ts',
    from: "jobPolicy === 'next-run'",
    to: "jobPolicy === 'run-now'",
  },
];
