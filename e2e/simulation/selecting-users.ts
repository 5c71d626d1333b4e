import { withValueAt } from '../apiserver/json';
import type { Draw } from './draw';
import type { Features } from './features';
import type { Place } from './places';
import { namespaceLabel, sourceLabel } from './selection';
import type { Users } from './users';

type Labels = Readonly<Record<string, string>>;

/** Which labels users put onto what they create. */
export class Labelling {
  readonly #features: Features;
  readonly #draw: Draw;

  constructor(features: Features, draw: Draw) {
    this.#features = features;
    this.#draw = draw;
  }

  /** Undefined where no label selects anything. */
  ofSource(): Labels | undefined {
    return this.#features.selectsSources ? this.#some(sourceLabel) : undefined;
  }

  ofNamespace(): Labels | undefined {
    return this.#features.selectsNamespaces ? this.#some(namespaceLabel) : undefined;
  }

  #some([key, value]: readonly [string, string]): Labels {
    return this.#draw.chance(0.75) ? { [key]: value } : {};
  }
}

/** Puts the label that selects a source or a namespace on, or takes it away. */
export function select(users: Users, place: Place, selected: boolean): void {
  const [key, value] = place.kind === 'Namespace' ? namespaceLabel : sourceLabel;
  users.edits.change(place, selected ? 'select' : 'deselect', (current) =>
    withValueAt(current, ['metadata', 'labels', key], selected ? value : undefined),
  );
}
