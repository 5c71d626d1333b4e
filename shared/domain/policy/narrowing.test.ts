import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { readNarrowing } from './narrowing';
import { sourceKinds } from '../sources/source';

type Annotations = Record<string, string>;

const { match, kind } = keys;

describe('Appendix B: match and kind on a workload', () => {
  it.each<[metadata: Annotations, template: Annotations, kinds: readonly string[]]>([
    [{}, {}, sourceKinds],
    [{ [match]: 'configmap' }, {}, ['ConfigMap']],
    [{ [match]: 'secret' }, {}, ['Secret']],
    [{ [match]: 'configmap|secret' }, {}, ['ConfigMap', 'Secret']],
    [{ [match]: 'secret|configmap' }, {}, ['ConfigMap', 'Secret']],
    [{ [kind]: 'configmap' }, {}, ['ConfigMap']],
    [{ [kind]: 'secret' }, {}, ['Secret']],
    [{ [match]: 'configmap|secret', [kind]: 'secret' }, {}, ['Secret']],
    [{}, { [match]: 'configmap' }, ['ConfigMap']],
    [{}, { [kind]: 'secret' }, ['Secret']],
    [{ [kind]: 'secret' }, { [kind]: 'configmap' }, ['Secret']],
    [{ [kind]: 'secret' }, { [match]: 'configmap' }, ['Secret']],
    [{ [keys.auto]: 'true' }, { [match]: 'configmap' }, ['ConfigMap']],
  ])('%j, pod template %j: only %j', (metadata, template, kinds) => {
    expect(readNarrowing(metadata, template, keys)).toEqual({ kinds, problems: [] });
  });

  it.each(['', 'true', 'false', 'ConfigMap', 'configmaps', ' secret', 'configmap, secret', 'toString', '*'])(
    '%j narrows nothing and is reported',
    (value) => {
      for (const key of [match, kind]) {
        const { kinds, problems } = readNarrowing({ [key]: value }, {}, keys);
        expect(kinds).toEqual(sourceKinds);
        expect(problems).toEqual([expect.objectContaining({ key, value, fix: expect.stringContaining('"configmap') })]);
      }
    },
  );

  it('a bad value on the metadata is not replaced by that of the pod template: presence counts, as for auto', () => {
    const { kinds, problems } = readNarrowing({ [match]: 'true' }, { [match]: 'secret' }, keys);
    expect(kinds).toEqual(sourceKinds);
    expect(problems).toHaveLength(1);
  });

  it('reports when the two leave nothing', () => {
    const { kinds, problems } = readNarrowing({ [match]: 'configmap', [kind]: 'secret' }, {}, keys);
    expect(kinds).toEqual([]);
    expect(problems).toEqual([expect.objectContaining({ key: kind, message: expect.stringContaining(match) })]);
  });

  it('uses the key set by the flag', () => {
    const own = { ...keys, match: 'example.com/match' };
    expect(readNarrowing({ 'example.com/match': 'secret', [match]: 'configmap' }, {}, own).kinds).toEqual(['Secret']);
  });
});
