import { describe, expect, it } from '@jest/globals';
import { budgets } from '../budgets';
import { checkSettings, type CheckSettings } from './check-settings';

const prefix = 'reroll.dev/';
const nothing: CheckSettings = { mode: 'warn', schemas: [], requiredKeys: [], maxBytes: undefined, problems: [] };

function settings(annotations: Readonly<Record<string, string>>, ofNamespace?: 'warn' | 'deny') {
  const entries = Object.entries(annotations).map(([key, value]) => [prefix + key, value]);
  return checkSettings(Object.fromEntries(entries), ofNamespace);
}

describe('checkSettings', () => {
  it.each<[string, Readonly<Record<string, string>>, 'warn' | 'deny' | undefined, Partial<CheckSettings> | undefined]>([
    ['nothing', {}, undefined, undefined],
    ['another annotation of Reroll', { settle: '1s' }, undefined, undefined],
    ['warn', { validate: 'warn' }, undefined, { mode: 'warn' }],
    ['deny', { validate: 'deny' }, undefined, { mode: 'deny' }],
    ['the mode of the namespace', {}, 'deny', { mode: 'deny' }],
    ['its own mode instead of that of the namespace', { validate: 'warn' }, 'deny', { mode: 'warn' }],
    ['off', { validate: 'off', schema: 'a' }, 'deny', undefined],
    ['a check without a mode', { 'max-bytes': '9' }, undefined, { mode: 'warn', maxBytes: 9 }],
    ['a check without a mode, in a namespace with one', { 'max-bytes': '9' }, 'deny', { mode: 'deny', maxBytes: 9 }],
    ['bytes with a unit', { 'max-bytes': ' 64Ki ' }, undefined, { maxBytes: 65_536 }],
    ['mebibytes', { 'max-bytes': '1Mi' }, undefined, { maxBytes: 1_048_576 }],
    ['keys', { 'required-keys': 'a.json, B_c,,-d' }, undefined, { requiredKeys: ['a.json', 'B_c', '-d'] }],
    [
      'schemas',
      { schema: 'one, two/s.json, a.yaml=three , b.json = four.five/schema_6.json' },
      undefined,
      {
        schemas: [
          { key: undefined, configMap: 'one', schemaKey: undefined },
          { key: undefined, configMap: 'two', schemaKey: 's.json' },
          { key: 'a.yaml', configMap: 'three', schemaKey: undefined },
          { key: 'b.json', configMap: 'four.five', schemaKey: 'schema_6.json' },
        ],
      },
    ],
  ])('reads %s', (_what, annotations, ofNamespace, expected) => {
    expect(settings(annotations, ofNamespace)).toEqual(expected && { ...nothing, ...expected });
  });

  it.each([
    ['validate', 'yes', 'is not a mode: faults only warn'],
    ['validate', '', 'is not a mode: faults only warn'],
    ['schema', 'a/b/c', 'names no schema and is ignored'],
    ['schema', '../secrets', 'names no schema and is ignored'],
    ['schema', 'a=', 'names no schema and is ignored'],
    ['schema', 'a,b,c,d,e,f,g,h,i', 'has 9 schemas, but only the first 8 are used'],
    ['required-keys', 'a b', 'is not a valid key name and is ignored'],
    ['max-bytes', '1.5Ki', 'is not a size and is ignored'],
    ['max-bytes', '-1', 'is not a size and is ignored'],
  ])('reports %s=%s, and never denies the write for it', (key, value, message) => {
    expect(settings({ [key]: value }, key === 'validate' ? 'deny' : undefined)).toMatchObject({
      mode: 'warn',
      problems: [{ key: prefix + key, message }],
    });
  });

  it.each([
    ['required-keys', '!,'.repeat(501), 'has more than 500 names and is ignored as a whole'],
    ['schema', `a,${'b'.repeat(budgets.listBytes)}`, 'has more than 32768 bytes and is ignored as a whole'],
  ])('reports %s over its budget once, and uses none of it', (key, value, message) => {
    const problems = [{ code: 'over-budget', key: prefix + key, value, message, fix: 'list fewer names' }];
    expect(settings({ [key]: value })).toEqual({ ...nothing, problems });
  });
});
