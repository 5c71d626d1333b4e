import { attempt, promise, type Target } from '../target';
import { budgets } from '../../../shared/domain/budgets';
import {
  checkedSegment,
  historyOf,
  HistorySegmentError,
  newestFirst,
} from '../../../shared/domain/protocol/history-line';

const restart =
  '{"at":"2026-01-01T12:00:00.000Z","id":"3f9c2a71","kind":"Deployment","namespace":"shop","name":"web","strategy":"env-vars",' +
  '"causes":[{"kind":"ConfigMap","name":"app","change":"9f3e11aa","why":"content changed","keys":["color"]}],"outcome":"rolling"}\n';

/** A part of the history, as whoever may write ConfigMaps of Reroll's namespace may have written it. */
export const target: Target = {
  seeds: [
    restart,
    `${restart}{"id":"3f9c2a71","outcome":"unhealthy","outcomeAt":"2026-01-01T12:10:00.000Z","reason":"none is ready"}\n`,
    `{"keptSince":"2025-12-31T12:00:00.000Z"}\n${restart}${restart}`,
    '',
  ],
  run: (input) => {
    const segment = attempt(() => checkedSegment(input.toString('utf8')), HistorySegmentError);
    if (segment === undefined) return;
    promise(checkedSegment(segment) === segment, 'what was checked is not changed by another check');
    promise(/^[\x20-\x7e\n]*$/.test(segment), 'a segment is ASCII');
    const { entries } = newestFirst(historyOf([segment]));
    promise(new Set(entries.map(({ id }) => id)).size === entries.length, 'each restart is there once');
    promise(segment.length <= 6 * budgets.historySegmentBytes, 'a segment is bounded');
  },
};
