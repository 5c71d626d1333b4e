import type { LocalSourceRef } from '../../shared/domain/sources/source';

/** Nobody reads more. */
const most = 5;

/**
 * `more` is the number of further ones, which are not named.
 *
 * @example enumerated(['a', 'b', 'c']) === 'a, b and c'
 * @example enumerated(['alice', 'bob'], 3) === 'alice, bob and 3 more'
 */
export function enumerated(items: readonly string[], more = 0): string {
  const isCut = items.length + Math.sign(more) > most;
  const named = isCut ? items.slice(0, most - 1) : items;
  const left = items.length - named.length + more;
  const shown = left > 0 ? [...named, `${left} more`] : named;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}

/** @example titleOf({ kind: 'Deployment', name: 'web' }) === 'deployment/web' */
export function titleOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** @example namesOf([{ kind: 'Secret', name: 'db' }]) === 'Secret db' */
export function namesOf(sources: readonly LocalSourceRef[]): string {
  return enumerated(sources.map(({ kind, name }) => `${kind} ${name}`));
}
