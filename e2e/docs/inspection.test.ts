import { describe, expect, it } from '@jest/globals';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { historyPageSchema, restartOutcomes } from '../../shared/domain/protocol/history';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { sourceInspectionSchema } from '../../shared/domain/protocol/source-inspection';
import { untrackedReasons, workloadInspectionSchema } from '../../shared/domain/protocol/workload-inspection';
import { waitReasons, workloadStates } from '../../shared/domain/protocol/workload-status';
import { schemaFiles } from '../reference/schema-files';
import { codeBlocks, pages, textOf } from './pages';

const page = 'docs/inspection.md';
const text = textOf(page);

/** The first cells of the table with this heading. */
function firstCells(heading: string): readonly string[] {
  const [, table = ''] = text.split(new RegExp(`^\\| \`${heading}\` .*\\n\\|[- |]*\\n`, 'm'));
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `([\w-]+)`/gm)].map(([, name = '']) => name);
}

describe(page, () => {
  it('has examples that the schemas accept', () => {
    const examples = codeBlocks(text).filter(({ language }) => language === 'json');
    const schemas = [
      workloadInspectionSchema,
      historyPageSchema,
      sourceInspectionSchema,
      healthInspectionSchema,
      inspectionProblemSchema,
    ] as const;
    expect(examples).toHaveLength(schemas.length);
    for (const [index, schema] of schemas.entries()) {
      const example: unknown = JSON.parse(examples[index]?.text ?? '');
      expect(schema.parse(example)).toEqual(example);
    }
  });

  it.each([
    ['because', untrackedReasons],
    ['state', workloadStates],
    ['waitsFor', waitReasons],
    ['outcome', restartOutcomes],
  ])('tells what each value of %s means', (heading, values) => {
    expect(firstCells(heading)).toEqual(values);
  });
});

describe('the schemas in docs/reference', () => {
  it.each(schemaFiles)('$file is that of the code, and a page links it', ({ file, text: generated }) => {
    expect(textOf(file)).toBe(generated);
    const link = `(${file.replace(/^docs\//, '')})`;
    expect(pages().filter((each) => textOf(each).includes(link))).not.toEqual([]);
  });
});
