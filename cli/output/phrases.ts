import type { LocalSourceRef } from '../../shared/domain/sources/source';

/** Nobody reads more. */
const most = 5;

/** @example enumerated(['a', 'b', 'c']) === 'a, b and c' */
export function enumerated(items: readonly string[]): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}

/** @example people(['alice', 'bob'], 3) === 'alice, bob and 3 more' */
export function people(names: readonly string[], more = 0): string {
  return enumerated([...names, ...(more > 0 ? [`${more} more`] : [])]);
}

/** @example titleOf({ kind: 'Deployment', name: 'web' }) === 'deployment/web' */
export function titleOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** @example namesOf([{ kind: 'Secret', name: 'db' }]) === 'Secret db' */
export function namesOf(sources: readonly LocalSourceRef[]): string {
  return enumerated(sources.map(({ kind, name }) => `${kind} ${name}`));
}
