import { jsonOf, promise, type Target } from '../target';
import { firstContainer, references } from '../../../shared/domain/sources/references';
import { sourceId } from '../../../shared/domain/sources/source';
import { json, samplePodSpec } from '../samples';

/** The sources that a pod template uses. */
export const target: Target = {
  seeds: [json(samplePodSpec)],
  maxBytes: 256 * 1024,
  run: (input) => {
    const podSpec = jsonOf(input);
    firstContainer(podSpec);
    const found = references(podSpec);
    const ids = found.map(sourceId);
    promise(new Set(ids).size === ids.length, 'each source is told once');
    promise(JSON.stringify(ids.toSorted()) === JSON.stringify(ids), 'sources are told in order');
    for (const { keys } of found) promise(keys === 'all' || keys.length > 0, 'who uses no key uses nothing');
  },
};
