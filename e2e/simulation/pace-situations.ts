/** Situations that the worlds of a batch must reach in which restarts wait for their turn. */
export const paceSituations = [
  'a restart waited because as many rolled as may in the cluster',
  'a restart waited because as many rolled as may in its namespace by the flag',
  'a restart waited because as many rolled as its namespace says',
  'a restart waited because as many users of a source rolled as the source says',
  'a restart waited because as many had begun as may in a time',
  'a restart waited for a lower wave',
  'a restart waited for a workload that it names',
  'workloads would have waited for each other for ever',
] as const;
export type PaceSituation = (typeof paceSituations)[number];

/** How the log tells of them. */
export const paceToldInLogs: readonly (readonly [RegExp, PaceSituation])[] = [
  [/deferred \(--max-rolling:/, 'a restart waited because as many rolled as may in the cluster'],
  [
    /deferred \(--max-rolling-per-namespace:/,
    'a restart waited because as many rolled as may in its namespace by the flag',
  ],
  [/deferred \(reroll\.dev\/max-rolling on namespace/, 'a restart waited because as many rolled as its namespace says'],
  [
    /deferred \(reroll\.dev\/max-rolling on (?:ConfigMap|Secret)/,
    'a restart waited because as many users of a source rolled as the source says',
  ],
  [/deferred \(--restart-rate:/, 'a restart waited because as many had begun as may in a time'],
  [/deferred \(reroll\.dev\/wave /, 'a restart waited for a lower wave'],
  [/deferred \(reroll\.dev\/after:/, 'a restart waited for a workload that it names'],
  [/which in the end waits for it too/, 'workloads would have waited for each other for ever'],
];
