import type { AnnotationBearer, AnnotationKeys } from './annotations';
import {
  defaultAnnotationKeys,
  gateAnnotations,
  keptAnnotations,
  lastReloadedFrom,
  ownAnnotations,
  ownPrefix,
  sourceAnnotations,
} from './annotations';
import { nearest } from '../text/nearest';

const reloaderDomain = 'reloader.stakater.com';
const { lint } = ownAnnotations;

/** Reroll's own annotations, by what bears them. */
const ownKeysOn: Readonly<Record<AnnotationBearer, readonly string[]>> = {
  workload: Object.values<string>({ ...ownAnnotations, ...gateAnnotations }),
  source: Object.values<string>({ ...sourceAnnotations, ...gateAnnotations, lint, ...keptAnnotations }),
  namespace: Object.values<string>({ ...gateAnnotations, lint }),
};
const reloaderKeys: readonly string[] = Object.values<string>({ ...defaultAnnotationKeys, lastReloadedFrom });

const known: Readonly<Record<AnnotationBearer, WeakMap<AnnotationKeys, AnnotationNames>>> = {
  workload: new WeakMap(),
  source: new WeakMap(),
  namespace: new WeakMap(),
};

/** The annotation keys of an install, and the check for typos in them. */
export class AnnotationNames {
  readonly #ownKeys: readonly string[];
  readonly #configured: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;

  /** One instance per install and bearer, not one per object. */
  static of(keys: AnnotationKeys, bearer: AnnotationBearer = 'workload'): AnnotationNames {
    let names = known[bearer].get(keys);
    if (!names) known[bearer].set(keys, (names = new AnnotationNames(keys, ownKeysOn[bearer])));
    return names;
  }

  private constructor(keys: AnnotationKeys, ownKeys: readonly string[]) {
    this.#ownKeys = ownKeys;
    this.#configured = new Set(Object.values<string>({ ...keys }));
    this.#prefixes = new Set([...this.#configured].map(prefixOf));
  }

  /** A default name that a flag has replaced is known too: it may be meant for another install. */
  isKnown(key: string): boolean {
    return this.#configured.has(key) || this.#ownKeys.includes(key) || reloaderKeys.includes(key);
  }

  /**
   * Detects a key that looks like one of Reroll's, Reloader's or the flags' keys but is not one, and returns the key
   * that was probably meant. Undefined for known keys and for other people's keys.
   */
  unknown(key: string): { readonly meant: string | undefined } | undefined {
    const prefix = prefixOf(key);
    const isOwn = key.startsWith(ownPrefix);
    const isReloaders = prefix === reloaderDomain || prefix.endsWith(`.${reloaderDomain}`);
    const isOfFlag = this.#prefixes.has(prefix);
    if (!isOwn && !isReloaders && !isOfFlag && !likeOurs.test(prefix)) return undefined;
    if (this.isKnown(key)) return undefined;
    if (isOwn) return { meant: nearestName(key, this.#ownKeys) };
    if (isReloaders) return { meant: this.#meantOfReloader(key) };
    // The prefix is that of a key set by a flag, or it only looks like ours: reported only if a typo is likely.
    const ofPrefix = [...this.#configured].filter((each) => prefixOf(each) === prefix);
    const meant = isOfFlag ? nearestName(key, ofPrefix) : this.#ofMisspeltPrefix(key);
    return meant === undefined ? undefined : { meant };
  }

  /**
   * Compares names without the domain: all of them contain it and would look alike. Keys that a flag has replaced are
   * not suggested.
   */
  #meantOfReloader(key: string): string | undefined {
    const candidates = reloaderKeys.filter((each) => this.#configured.has(each));
    const shortened = candidates.map(withoutDomain);
    const near = nearest(withoutDomain(key), shortened) ?? nearest(nameOf(key), shortened);
    return (
      candidates.find((each) => withoutDomain(each) === near) ?? candidates.find((each) => nameOf(each) === nameOf(key))
    );
  }

  /**
   * One of our names under a misspelt prefix such as `reloader.stakater.io`. The whole name must match: other people's
   * names may begin or end like ours.
   */
  #ofMisspeltPrefix(key: string): string | undefined {
    if (!likeOurs.test(prefixOf(key))) return undefined;
    const alike = [...this.#ownKeys, ...reloaderKeys].filter(
      (each) => nameOf(each) === nameOf(key) && Math.abs(each.length - key.length) < 3,
    );
    return nearest(key, alike);
  }
}

function withoutDomain(key: string): string {
  return key.replace(`${reloaderDomain}/`, '');
}

/** Compares names without their common prefix. */
function nearestName(key: string, candidates: readonly string[]): string | undefined {
  const name = nearest(nameOf(key), candidates.map(nameOf));
  return candidates.find((each) => nameOf(each) === name);
}

const likeOurs = /reloader|stakater|^reroll/;

function prefixOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
