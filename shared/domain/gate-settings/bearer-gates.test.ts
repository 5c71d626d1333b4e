import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { bearerProblems, readBearerGates, type GateBearer } from './bearer-gates';

const hold = 'reroll.dev/hold';
const windows = 'reroll.dev/windows';

function problems(annotations: Record<string, string>, bearer: GateBearer = 'source'): readonly (readonly string[])[] {
  return [...bearerProblems(annotations, bearer, keys)].map(({ code, key, fix }) => [code, key, fix]);
}

describe('bearerProblems', () => {
  it.each<[GateBearer, Record<string, string>, readonly string[]]>([
    ['source', { [hold]: 'until=tomorrow' }, ['bad-hold', hold]],
    ['source', { [windows]: '22-05' }, ['bad-window', windows]],
    ['namespace', { 'reroll.dev/urgent': 'true' }, ['wrong-place', 'reroll.dev/urgent']],
    ['source', { 'reroll.dev/windws': 'Sat' }, ['unknown-annotation', 'reroll.dev/windws']],
    ['namespace', { 'reroll.dev/windws': 'Sat' }, ['unknown-annotation', 'reroll.dev/windws']],
    ['source', { 'reroll.dev/settle': '5s' }, ['wrong-place', 'reroll.dev/settle']],
    ['namespace', { 'reroll.dev/validate': 'deny' }, ['wrong-place', 'reroll.dev/validate']],
    ['namespace', { 'reroll.dev/strategy': 'annotations' }, ['wrong-place', 'reroll.dev/strategy']],
    ['source', { 'reloader.stakater.com/ingore': 'true' }, ['unknown-annotation', 'reloader.stakater.com/ingore']],
  ])('on a %s: %j', (bearer, annotations, found) => {
    expect(problems(annotations, bearer)).toEqual([[...found, expect.any(String)]]);
  });

  it.each([
    ['reroll.dev/windws', 'did you mean reroll.dev/windows?'],
    ['reroll.dev/validat', 'did you mean reroll.dev/validate?'],
    ['reroll.dev/kes', 'did you mean reroll.dev/keys?'],
    ['reroll.dev/urgnt', 'did you mean reroll.dev/urgent?'],
    ['reroll.io/hold', 'did you mean reroll.dev/hold?'],
    ['reroll.dev/settle', 'move it to the workload'],
  ])('says what to write instead of %s on a source', (key, fix) => {
    expect(problems({ [key]: 'true' })).toEqual([[expect.any(String), key, fix]]);
  });

  it.each<[GateBearer, Record<string, string>]>([
    ['source', { [hold]: 'true', 'reroll.dev/urgent': 'true', 'reroll.dev/validate': 'deny', 'reroll.dev/lint': 'on' }],
    ['source', { [keys.match]: 'true', [keys.ignore]: 'true', [keys.auto]: 'true', 'helm.sh/hook': 'x' }],
    ['source', { 'reroll.dev/kept': '{}', 'reroll.dev/kept-mac': 'x' }],
    ['namespace', { [windows]: 'Sat', 'reroll.dev/min-interval': '1h', 'reroll.dev/lint': 'off' }],
    ['namespace', { 'reloader.stakater.com/ingore': 'true' }],
  ])('finds nothing on a %s with %j', (bearer, annotations) => expect(problems(annotations, bearer)).toEqual([]));

  it('shows no value of what stands on another object, or is not known', () => {
    const annotations = { 'reroll.dev/baseline': 'hunter2', 'reroll.dev/pasword': 'hunter2' };
    const found = [...bearerProblems(annotations, 'source', keys)];
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

describe('readBearerGates', () => {
  it('is undefined for an object that says nothing', () => {
    expect(readBearerGates({ other: 'x' }, 'source', keys)).toBeUndefined();
  });

  it('keeps what is wrong beside what is not', () => {
    const gates = readBearerGates({ [hold]: 'false', [windows]: '22-05', 'reroll.dev/hld': '' }, 'namespace', keys);
    expect(gates).toMatchObject({ hold: 'off', problems: [{ key: windows }, { key: 'reroll.dev/hld' }] });
    expect(readBearerGates({ [windows]: '22-05' }, 'source')).toMatchObject({ problems: [{ code: 'bad-window' }] });
  });

  it('checks no names without the keys of the install', () => {
    expect(readBearerGates({ 'reroll.dev/hld': '' }, 'source')).toBeUndefined();
  });

  it('keeps little of what is wrong, however much it is', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`reroll.dev/x${n}`, '']));
    const { problems: kept = [] } = readBearerGates({ ...many, [hold]: 'x'.repeat(200_000) }, 'source', keys) ?? {};
    expect(kept).toHaveLength(5);
    expect(JSON.stringify(kept).length).toBeLessThan(2_000);
  });
});
