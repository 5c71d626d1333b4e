import type { StageRequest } from './stage';

/**
 * Whether it reads all objects of a resource, or a page of them: a list, or a watch that begins with one. A list of one
 * object is none, be it chosen by its name, which is how its past is read, or to learn the version alone.
 */
export function isWholeList({ verb, path }: Pick<StageRequest, 'verb' | 'path'>): boolean {
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  if (verb === 'watch') return query.get('sendInitialEvents') === 'true';
  const ofOne = query.get('limit') === '1' || query.get('fieldSelector')?.startsWith('metadata.name=') === true;
  return verb === 'list' && !ofOne;
}
