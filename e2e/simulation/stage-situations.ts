/** Situations that the worlds of a batch must reach in which a change reaches one user first. */
export const stageSituations = [
  'a restart waited for one that restarts first',
  'a restart waited until the first was healthy for a time',
  'restarts of a source stopped',
] as const;
export type StageSituation = (typeof stageSituations)[number];

/** How the log tells of them. */
export const stageToldInLogs: readonly (readonly [RegExp, StageSituation])[] = [
  [/ in stages: .* go(es)? first/, 'a restart waited for one that restarts first'],
  [/ in stages: .* must first be healthy/, 'a restart waited until the first was healthy for a time'],
  [/restarts stopped: /, 'restarts of a source stopped'],
];
