import { describe, expect, it } from '@jest/globals';
import { valuesSnippets } from '../docs/named-values';
import { pages, textOf } from '../docs/pages';
import { renderChart } from './rendered-chart';

const snippets = pages().flatMap((page) =>
  valuesSnippets(textOf(page)).map((values, index) => [`${page}, ${index + 1}`, values] as const),
);

describe('values that a page shows', () => {
  it.each(snippets)('render: %s', async (_where, values) => {
    expect((await renderChart(values)).length).toBeGreaterThan(5);
  });
});
