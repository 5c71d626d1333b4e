import { describe, expect, it } from '@jest/globals';
import { healthInspectionSchema } from './health-inspection';
import { sourceInspectionSchema } from './source-inspection';
import { tolerant } from './tolerant-schema';
import { workloadInspectionSchema } from './workload-inspection';

const workload = {
  ...{ v: 1, kind: 'Deployment', namespace: 'shop', name: 'web', tracked: true, state: 'in-step' },
  ...{ dryRun: false, deleting: false, restart: 'not-owed', problems: [] },
  sources: [
    {
      ...{ kind: 'ConfigMap', name: 'app', exists: true, decision: 'auto', why: 'x', keys: ['a'] },
      ...{ standing: 'unchanged', restarts: false },
    },
  ],
};

describe('a tolerant schema', () => {
  it('reads what the strict one reads', () => {
    expect(workloadInspectionSchema.parse(workload)).toEqual(workload);
    expect(tolerant(workloadInspectionSchema).parse(workload)).toEqual(workload);
  });

  it('drops fields and accepts texts that it does not know, at any depth', () => {
    const [source] = workload.sources;
    const newer = {
      ...{ ...workload, state: 'thinking', mood: 'good' },
      sources: [{ ...source, kind: 'Vault', standing: 'odd', decision: 'by-luck', keys: 'some', colour: 'blue' }],
    };
    const read = tolerant(workloadInspectionSchema).parse(newer);
    expect(read).toEqual({
      ...{ ...workload, state: 'thinking' },
      sources: [{ ...source, kind: 'Vault', standing: 'odd', decision: 'by-luck', keys: 'some' }],
    });
    expect(workloadInspectionSchema.safeParse(newer).success).toBe(false);
  });

  it('tells apart what a boolean tells apart', () => {
    const untracked = {
      v: 1,
      kind: 'Job',
      namespace: 'shop',
      name: 'x',
      tracked: false,
      because: 'new-reason',
      why: 'y',
    };
    expect(tolerant(workloadInspectionSchema).parse(untracked)).toEqual(untracked);
  });

  it.each([
    ['another version', workloadInspectionSchema, { ...workload, v: 2 }],
    ['a missing field', workloadInspectionSchema, { ...workload, state: undefined }],
    ['a number for a text', workloadInspectionSchema, { ...workload, state: 7 }],
    ['a list of something else', sourceInspectionSchema, { v: 1, users: [1] }],
    ['nothing', healthInspectionSchema, undefined],
  ])('refuses %s', (_what, schema, value) => {
    expect(tolerant(schema).safeParse(value).success).toBe(false);
  });
});
