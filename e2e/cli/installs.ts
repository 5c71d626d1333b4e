/** An install of Reroll in the cluster: a reconciler that looks after the namespaces with its label. */
export interface Install {
  /** The label of its namespaces, and the end of its own namespace's name. */
  readonly name: string;
  readonly flags: readonly string[];
  /** It may read everything, and write nothing but in its own namespace. */
  readonly isReadOnly?: true;
}

/** The label of a namespace that names its install. */
export const installLabel = 'looked-after-by';

export const installs = {
  main: { name: 'main', flags: ['--namespaces-to-ignore=ignored', '--rollback', '--healthy-for=1s'] },
  selective: {
    name: 'selective',
    flags: [
      ...['--auto-reload-all', '--ignored-workload-types=jobs', '--resources-to-ignore=secrets'],
      ...['--resource-label-selector=reload=yes', '--reload-on-create', '--reload-on-delete'],
    ],
  },
  dry: { name: 'dry', flags: ['--dry-run'] },
  calling: { name: 'calling', flags: ['--webhook-url=http://127.0.0.1:9/'] },
  reading: { name: 'reading', flags: [], isReadOnly: true },
} as const satisfies Readonly<Record<string, Install>>;

export type InstallName = keyof typeof installs;

/** The namespace of an install's own objects. */
export function ownNamespaceOf(install: string): string {
  return `reroll-${install}`;
}

/** What the reconciler and its Deployment have as flags. */
export function flagsOf({ name, flags }: Install): readonly string[] {
  return [`--namespace-selector=${installLabel}=${name}`, ...flags];
}

/** Leaders that are none of ours, by the name of the install that they pretend to be. */
export const strangers = { newer: 'answers in version 2', older: 'answers on no port' } as const;

/** Leases without a leader. */
export const leaderless = { gone: 'somebody who is gone', free: '' } as const;
