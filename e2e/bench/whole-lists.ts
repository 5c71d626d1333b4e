import type { StageRequest } from './stage';

/**
 * Whether a request reads all objects of a resource, or a page of them: a list, or a watch that starts with one. A list
 * of one object does not count. Reroll lists by name to read an object's past, and with limit 1 to learn the version.
 */
export function isWholeList({ verb, path }: Pick<StageRequest, 'verb' | 'path'>): boolean {
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  if (verb === 'watch') return query.get('sendInitialEvents') === 'true';
  const ofOne = query.get('limit') === '1' || query.get('fieldSelector')?.startsWith('metadata.name=') === true;
  return verb === 'list' && !ofOne;
}
