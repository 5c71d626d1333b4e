import { withValueAt } from '../apiserver/json';
import type { Draw } from './draw';
import type { Features } from './features';
import { drawSettings } from './own-settings';
import type { Place } from './places';
import { ignoreAnnotation, matchAnnotation } from './source-flags';
import type { Users } from './users';
import { policyAnnotations } from './wishes';

type Annotations = Readonly<Record<string, string>>;

const auto = 'reloader.stakater.com/auto';
const search = 'reloader.stakater.com/search';

/** The annotations that users put on what they create. */
export class Annotating {
  readonly #features: Features;
  readonly #draw: Draw;

  constructor(features: Features, draw: Draw) {
    this.#features = features;
    this.#draw = draw;
  }

  /** Undefined if sources have no annotations in this world. */
  ofSource(): Annotations | undefined {
    const { ignores, wishes } = this.#features;
    if (!ignores && !wishes) return undefined;
    return {
      ...(ignores && this.#draw.chance(0.35) && { [ignoreAnnotation]: 'true' }),
      ...(wishes && this.#draw.chance(0.5) && { [matchAnnotation]: 'true' }),
    };
  }

  /** The annotations of a workload in this world. `plain` is what it has in worlds without these features. */
  ofWorkload(plain: Annotations): Annotations {
    const { ignores, autoReloadAll, wishes, ownSettings = false } = this.#features;
    const asked = wishes && this.#draw.chance(0.6) ? drawWish(this.#draw) : plain;
    const settled = autoReloadAll && this.#draw.chance(0.7) ? this.#silent() : asked;
    // The ignore annotation has no effect on a workload.
    const said = ignores && this.#draw.chance(0.15) ? { ...settled, [ignoreAnnotation]: 'true' } : settled;
    return ownSettings ? { ...said, ...drawSettings(this.#draw) } : said;
  }

  #silent(): Annotations {
    return this.#draw.chance(0.4) ? { [auto]: 'false' } : {};
  }
}

/** Draws the annotations by which a workload asks for restarts, as people write them. */
function drawWish(draw: Draw): Annotations {
  const configMaps = draw.pick(['app', 'extra', 'app,extra', 'ap.*', '.*', 'app|extra', 'ext.+,absent']);
  const typed = draw.pick(['configmap', 'secret']);
  return draw.pick<Annotations>([
    { [search]: 'true' },
    { [search]: 'true' },
    { [search]: 'true' },
    { [search]: 'true', [`${typed}.reloader.stakater.com/auto`]: 'true' },
    { [`${typed}.reloader.stakater.com/auto`]: 'true' },
    { [auto]: 'false', [`${typed}.reloader.stakater.com/auto`]: 'true' },
    { [auto]: 'true', [`${typed}s.exclude.reloader.stakater.com/reload`]: typed === 'secret' ? 'db' : 'app,other' },
    { 'configmap.reloader.stakater.com/reload': configMaps },
    { [auto]: 'false', 'configmap.reloader.stakater.com/reload': configMaps },
    { 'configmap.reloader.stakater.com/reload': '.*', 'configmaps.exclude.reloader.stakater.com/reload': 'app' },
    { [search]: 'true', 'secret.reloader.stakater.com/reload': 'd[a-c]' },
  ]);
}

/** Removes all annotations by which the workload asks for restarts, and sets others. */
export function askOtherwise(users: Users, workload: Place, draw: Draw): void {
  const nothing = Object.fromEntries(policyAnnotations.map((name) => [name, undefined]));
  users.annotate(workload, { ...nothing, ...drawWish(draw) });
}

export function ignore(users: Users, source: Place, isIgnored: boolean): void {
  annotateSource(users, source, ignoreAnnotation, isIgnored);
}

export function match(users: Users, source: Place, matches: boolean): void {
  annotateSource(users, source, matchAnnotation, matches);
}

function annotateSource(users: Users, source: Place, name: string, isOn: boolean): void {
  users.edits.change(source, `${isOn ? 'put' : 'take away'} ${name} of`, (current) =>
    withValueAt(current, ['metadata', 'annotations', name], isOn ? 'true' : undefined),
  );
}
