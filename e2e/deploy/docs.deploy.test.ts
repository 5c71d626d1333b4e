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

describe('docs/migration.md', () => {
  const [, image = '', chart = ''] = /^## Swap the image$(.*?)^## Swap the chart$(.*?)^## /ms.exec(textOf('docs/migration.md')) ?? []; // prettier-ignore
  const granted = [
    ...[...image.matchAll(/kubectl create (\w+binding) ([\w-]+)/g)].map(([, kind, name]) => `${kind}/${name}`),
    ...[...image.matchAll(/kubectl get role .*name: "([\w-]+)"/g)].map(([, name]) => `role/${name}`),
  ];

  it('grants the image nothing that the chart finds in its way, or leaves behind', async () => {
    const objects = await renderChart({ reloader: { watchGlobally: false } }, { namespace: 'reloader' });
    const rendered = objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
    expect(granted.filter((object) => rendered.includes(object))).toEqual(['rolebinding/reroll', 'role/reroll']);
    const [before = ''] = chart.split('helm install');
    expect(granted.filter((object) => !before.includes(` ${object} `))).toEqual([]);
  });
});
