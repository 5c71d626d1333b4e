import { withValueAt } from '../apiserver/json';
import type { Draw } from './draw';
import type { Features } from './features';
import type { Place } from './places';
import { leavingOut, namespaceLabel, sourceLabel } from './selection';
import type { Users } from './users';

type Labels = Readonly<Record<string, string>>;
type Label = readonly [string, string];

/** Draws the labels of the objects that users create. */
export class Labelling {
  readonly #features: Features;
  readonly #draw: Draw;

  constructor(features: Features, draw: Draw) {
    this.#features = features;
    this.#draw = draw;
  }

  /** Undefined if the install selects sources by no label. */
  ofSource(): Labels | undefined {
    const { selectsSources, leavesOutSources } = this.#features;
    return this.#labels(selectsSources && sourceLabel, leavesOutSources && leavingOut.source);
  }

  ofNamespace(): Labels | undefined {
    const { selectsNamespaces, leavesOutNamespaces } = this.#features;
    return this.#labels(selectsNamespaces && namespaceLabel, leavesOutNamespaces && leavingOut.namespace);
  }

  #labels(selecting: Label | false, leaving: Label | false): Labels | undefined {
    if (!selecting && !leaving) return undefined;
    return { ...(selecting && this.#some(selecting, 0.75)), ...(leaving && this.#some(leaving, 0.35)) };
  }

  #some([key, value]: Label, share: number): Labels {
    return this.#draw.chance(share) ? { [key]: value } : {};
  }
}

/** Adds or removes the label that selects a source or a namespace. */
export function select(users: Users, place: Place, selected: boolean): void {
  const [key, value] = place.kind === 'Namespace' ? namespaceLabel : sourceLabel;
  users.edits.change(place, selected ? 'select' : 'deselect', (current) =>
    withValueAt(current, ['metadata', 'labels', key], selected ? value : undefined),
  );
}
