import { continueToken, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { HistoryEntry, HistoryPage } from '../../shared/domain/protocol/history';
import type { History } from '../../shared/domain/protocol/history-line';
import type { InspectionView } from './inspection-view';

type HistoryQuestion = Extract<InspectionQuestion, { readonly about: 'history' }>;

/** Nobody reads faster, and parsing a full history takes ten milliseconds. */
const keptForMs = 1_000;

/** Pages of the history, newest restarts first. It is parsed at most once a second. */
export class HistoryPages {
  readonly #view: Pick<InspectionView, 'clock' | 'history'>;
  #kept: History | undefined;

  constructor(view: Pick<InspectionView, 'clock' | 'history'>) {
    this.#view = view;
  }

  page(question: HistoryQuestion): HistoryPage {
    const { keptSince, entries } = this.#current();
    const { limit, after } = question;
    const asked = entries.filter((entry) => isAskedFor(question, entry) && isAfter(entry, after));
    const page = asked.slice(0, limit);
    const last = asked.length > limit ? page.at(-1) : undefined;
    return {
      v: 1,
      ...(keptSince !== undefined && { keptSince }),
      entries: page,
      ...(last && { continue: continueToken(placeOf(last)) }),
    };
  }

  #current(): History {
    const { clock, history } = this.#view;
    if (this.#kept) return this.#kept;
    // Dropped by a timer: when nobody asks any more, nothing is kept.
    clock.timer(keptForMs, () => (this.#kept = undefined));
    const { keptSince, entries } = history.read();
    this.#kept = { keptSince, entries: entries.toSorted((left, right) => (placeOf(left) < placeOf(right) ? 1 : -1)) };
    return this.#kept;
  }
}

function isAskedFor({ namespace, kind, name, since }: HistoryQuestion, entry: HistoryEntry): boolean {
  return (
    (namespace === undefined || entry.namespace === namespace) &&
    (kind === undefined || entry.kind === kind) &&
    (name === undefined || entry.name === name) &&
    (since === undefined || entry.at >= since)
  );
}

/** The place of a restart stays the same, whatever is added or dropped between two pages. */
function placeOf({ at, id }: HistoryEntry): string {
  return `${at}/${id}`;
}

function isAfter(entry: HistoryEntry, place: string | undefined): boolean {
  return place === undefined || placeOf(entry) < place;
}
