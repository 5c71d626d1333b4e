import { describe, expect, it } from '@jest/globals';
import { type MarkInput, strategies } from './strategies';
import { blue, changeOf } from '../../shared/domain/plan/change.fixture';
import { restartId } from './restart.fixture';

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 789);

function input(...changes: MarkInput['changes']): MarkInput {
  return { namespace: 'shop', changes, restartId, nowMs };
}

describe('§5.2 env-vars', () => {
  const mark = strategies['env-vars'];

  it('puts a variable for each source into the container that uses it', () => {
    const db = changeOf({ kind: 'Secret', name: 'my.db', container: 'sidecar', whole: undefined });
    expect(mark(input(changeOf(), db))).toEqual({
      annotations: {},
      env: [
        { container: 'main', name: 'STAKATER_APP_CONFIGMAP', value: `${blue}.c0ffee00` },
        { container: 'sidecar', name: 'STAKATER_MY_DB_SECRET', value: '-.c0ffee00' },
      ],
    });
  });

  it('writes one variable where names differ in punctuation only, but one per container', () => {
    const changes = [
      changeOf({ name: 'my-app' }),
      changeOf({ name: 'my.app', whole: undefined }),
      changeOf({ name: 'my-app', container: 'other' }),
    ];
    expect(mark(input(...changes)).env.map(({ container, value }) => [container, value])).toEqual([
      ['main', '-.c0ffee00'],
      ['other', `${blue}.c0ffee00`],
    ]);
  });

  it('writes nothing without a container', () => {
    expect(mark(input(changeOf({ container: undefined })))).toEqual({ annotations: {}, env: [] });
  });
});

describe('§5.5 annotations', () => {
  const mark = strategies.annotations;
  const text = (...changes: MarkInput['changes']): string | undefined =>
    mark(input(...changes)).annotations['reloader.stakater.com/last-reloaded-from'];

  it("writes Reloader's annotation, its keys in Reloader's order", () => {
    expect(text(changeOf())).toBe(
      `{"type":"CONFIGMAP","name":"app","namespace":"shop","hash":"${blue}","containerRefs":["main"],"observedAt":${String(Math.floor(nowMs / 1000))},"id":"c0ffee00"}`,
    );
    expect(mark(input(changeOf())).env).toEqual([]);
  });

  it('names the last of several sources', () => {
    expect(JSON.parse(text(changeOf(), changeOf({ kind: 'Secret', name: 'db' })) ?? '')).toMatchObject({
      type: 'SECRET',
      name: 'db',
    });
  });

  it('says so where the source or the container is missing', () => {
    expect(JSON.parse(text(changeOf({ whole: undefined, container: undefined })) ?? '')).toMatchObject({
      hash: '-',
      containerRefs: [],
    });
  });

  it('marks nothing for nothing', () => {
    expect(mark(input())).toEqual({ annotations: {}, env: [] });
  });
});

describe('restarted-at', () => {
  it('writes what kubectl rollout restart writes, with the time to the millisecond', () => {
    expect(strategies['restarted-at'](input(changeOf()))).toEqual({
      annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T12:00:00.789Z' },
      env: [],
    });
  });
});

describe('every strategy with its own kind of marker', () => {
  it.each(['env-vars', 'annotations'] as const)(
    '%s changes the template for each restart, whatever the content',
    (name) => {
      const marks = ['1', '2'].map((id) => strategies[name]({ ...input(changeOf()), restartId: id }));
      expect(marks[0]).not.toEqual(marks[1]);
    },
  );
});
