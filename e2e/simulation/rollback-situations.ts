/** Situations that the worlds of a batch must reach in which contents are put back. */
export const rollbackSituations = [
  'a content was put back',
  'a content that was put back was written again, and restarted nobody',
  'a content was not put back a second time',
  'a content was not put back because none was kept',
] as const;
export type RollbackSituation = (typeof rollbackSituations)[number];

/** How the log tells of them. */
export const rollbackToldInLogs: readonly (readonly [RegExp, RollbackSituation])[] = [
  [/^rolled back: /, 'a content was put back'],
  [
    /are stopped: its content was rolled back before/,
    'a content that was put back was written again, and restarted nobody',
  ],
  [/this content was put back before, and is there again/, 'a content was not put back a second time'],
  [/no earlier content is kept/, 'a content was not put back because none was kept'],
];
