import { describe, expect, it } from '@jest/globals';
import { markTemplate, missingOfMarker, templatePatch } from './template';

const variable = (container: string, name: string, value: string) => ({ container, name, value });

describe('templatePatch', () => {
  it('is empty for an empty marker', () => {
    expect(templatePatch({ annotations: {}, env: [] })).toEqual({});
  });

  it('writes annotations', () => {
    expect(templatePatch({ annotations: { a: '1' }, env: [] })).toEqual({ metadata: { annotations: { a: '1' } } });
  });

  it('writes the variables of each container once, and clears where they took their value from', () => {
    const env = [variable('main', 'A', '1'), variable('other', 'B', '2'), variable('main', 'C', '3')];
    expect(templatePatch({ annotations: {}, env })).toEqual({
      spec: {
        containers: [
          {
            name: 'main',
            env: [
              { name: 'A', value: '1', valueFrom: null },
              { name: 'C', value: '3', valueFrom: null },
            ],
          },
          { name: 'other', env: [{ name: 'B', value: '2', valueFrom: null }] },
        ],
      },
    });
  });

  it('names the containers in the order of the template', () => {
    const env = [variable('sidecar', 'A', '1'), variable('main', 'B', '2')];
    const patch = templatePatch({ annotations: {}, env }, ['main', 'sidecar']);
    expect(patch).toMatchObject({ spec: { containers: [{ name: 'main' }, { name: 'sidecar' }] } });
  });
});

describe('missingOfMarker', () => {
  const marker = { annotations: { a: '1' }, env: [variable('main', 'A', '1'), variable('other', 'B', '2')] };
  const unmarked = { metadata: {}, spec: { containers: [{ name: 'main' }, { name: 'other', env: [] }] } };
  const marked = markTemplate(unmarked, marker);

  it('is nothing if everything is there, whatever else is there', () => {
    expect(missingOfMarker(marked, marker)).toBeUndefined();
    const more = { annotations: { b: '2' }, env: [variable('main', 'Z', '1')] };
    expect(missingOfMarker(markTemplate(marked, more), marker)).toBeUndefined();
    expect(missingOfMarker({}, { annotations: {}, env: [] })).toBeUndefined();
  });

  it.each([
    ['annotation a of its pod template', { annotations: {}, env: marker.env }],
    ['annotation a of its pod template', { annotations: { a: '2' }, env: marker.env }],
    ['variable A of its container main', { ...marker, env: marker.env.slice(1) }],
    ['variable B of its container other', { ...marker, env: marker.env.slice(0, 1) }],
    ['variable A of its container main', { ...marker, env: [variable('main', 'A', '0'), ...marker.env.slice(1)] }],
    ['variable B of its container other', { ...marker, env: [...marker.env.slice(0, 1), variable('main', 'B', '2')] }],
  ])('is %s', (missing, there) => {
    expect(missingOfMarker(markTemplate(unmarked, there), marker)).toBe(missing);
  });

  it('is everything if there is no template', () => {
    expect(missingOfMarker({}, { annotations: {}, env: marker.env })).toBe('variable A of its container main');
  });
});

describe('markTemplate', () => {
  const template = {
    metadata: { labels: { app: 'web' }, annotations: { kept: 'yes', a: 'old' } },
    spec: {
      restartPolicy: 'Never',
      initContainers: [{ name: 'main' }],
      containers: [
        {
          name: 'main',
          image: 'i',
          env: [
            { name: 'OWN', value: 'x' },
            { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            { name: 'LAST', value: '$(OWN)' },
          ],
        },
        { name: 'other' },
      ],
    },
  };

  it('replaces a variable whatever it took its value from, and leaves the rest and its order', () => {
    const marked = markTemplate(template, { annotations: { a: 'new', b: '2' }, env: [variable('main', 'A', '1')] });
    expect(marked).toEqual({
      metadata: { labels: { app: 'web' }, annotations: { kept: 'yes', a: 'new', b: '2' } },
      spec: {
        restartPolicy: 'Never',
        initContainers: [{ name: 'main' }],
        containers: [
          {
            name: 'main',
            image: 'i',
            env: [
              { name: 'OWN', value: 'x' },
              { name: 'LAST', value: '$(OWN)' },
              { name: 'A', value: '1' },
            ],
          },
          { name: 'other' },
        ],
      },
    });
  });

  it('adds variables to a container that has none', () => {
    expect(markTemplate(template, { annotations: {}, env: [variable('other', 'A', '1')] })).toMatchObject({
      spec: { containers: [template.spec.containers[0], { name: 'other', env: [{ name: 'A', value: '1' }] }] },
    });
  });

  it('does not modify its input', () => {
    const before = structuredClone(template);
    markTemplate(template, { annotations: { a: 'new' }, env: [variable('main', 'A', '1')] });
    expect(template).toEqual(before);
  });

  it('accepts an empty template', () => {
    expect(markTemplate({}, { annotations: { a: '1' }, env: [variable('main', 'A', '1')] })).toEqual({
      metadata: { annotations: { a: '1' } },
      spec: { containers: [] },
    });
  });
});
