import type { WriteRecord } from '../apiserver/store';
import { baselineAnnotation } from './baseline-text';
import { isEngine } from './engine-user';
import { templateOf } from './usage';

/** Situations that the worlds of a batch must reach in which not every change counts. */
export const keySituations = [
  'a workload was recorded with a list of keys',
  'a workload with a list of keys was restarted',
  'what is recorded of a list of keys was recorded of another one',
  'a source was recorded parsed',
] as const;
export type KeySituation = (typeof keySituations)[number];

/** Notes which of them a world reaches. */
export class KeySituations {
  readonly #reached = new Set<KeySituation>();

  get reached(): ReadonlySet<KeySituation> {
    return this.#reached;
  }

  written({ object, previous, user }: WriteRecord): void {
    if (!isEngine(user)) return;
    const [before, after] = [previous, object].map((each) => detailsOf(each?.metadata.annotations));
    if (after?.parsed !== undefined) this.#reached.add('a source was recorded parsed');
    if (after?.filters === undefined) return;
    this.#reached.add('a workload was recorded with a list of keys');
    if (templateOf(previous) !== templateOf(object)) this.#reached.add('a workload with a list of keys was restarted');
    const isOther = Object.entries(after.filters).some(
      ([source, id]) => before?.filters?.[source] !== undefined && before.filters[source] !== id,
    );
    if (isOther) this.#reached.add('what is recorded of a list of keys was recorded of another one');
  }
}

interface Details {
  readonly filters?: Readonly<Record<string, string>>;
  readonly parsed?: object;
}

function detailsOf(annotations: Readonly<Record<string, string>> | undefined): Details | undefined {
  try {
    return JSON.parse(annotations?.[baselineAnnotation] ?? 'null') as Details | undefined;
  } catch {
    return undefined;
  }
}
