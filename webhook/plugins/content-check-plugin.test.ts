import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import type { CheckMode } from '../../shared/domain/content-check/check-settings';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import type { PluginAnswer } from '../admission/admission-plugins';
import { contentCheckPlugin, type ContentCheckOptions } from './content-check-plugin';
import { withinTime, type TimeLimit } from '../../shared/runtime/time-limit';
import { uncheckedReasons, WebhookMetrics } from '../metrics';
import { bytes, configMap, metric, review, secret } from '../admission/review.fixture';

/** Is in every content, and must be nowhere else. */
const canary = 'hunter2';
const broken = `{"a": ${canary}}`;
const sound = `{"a": "${canary}"}`;
const tooLarge = `a: ${'x'.repeat(128 * 1024)}\n`;

interface Schemas {
  /** `data` of ConfigMaps by name. A missing name is a 404, and a number is an error status. */
  readonly [name: string]: Readonly<Record<string, string>> | number | Unmarked;
}

/** A ConfigMap without the schema annotation. */
interface Unmarked {
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
}

/** Tests that are not about time need patience: the machine may be busy. */
const patient: TimeLimit = (limitMs, work) => withinTime(limitMs < 1 ? limitMs : 60_000, work);

function world(
  schemas: Schemas = {},
  namespaces: readonly (readonly [string, CheckMode])[] = [],
  time: Pick<ContentCheckOptions, 'withinMs' | 'withinTime'> = { withinTime: patient },
) {
  const stored = new Map(Object.entries(schemas));
  const { client, clock, logger, transport } = clientWorld(({ path }) => {
    const name = path.split('/').at(-1)!;
    const found = stored.get(name);
    if (typeof found === 'number') return refusal(found, 'Forbidden');
    if (found === undefined) return refusal(404, 'NotFound');
    const isUnmarked = (each: typeof found): each is Unmarked => typeof each['data'] === 'object';
    const marks = { 'reroll.dev/is-schema': 'true' };
    const { annotations, data } = isUnmarked(found) ? found : { annotations: marks, data: found };
    return { body: { metadata: { name, uid: name, resourceVersion: JSON.stringify(data), annotations }, data } };
  });
  const metrics = new WebhookMetrics();
  const plugin = contentCheckPlugin({ client, clock, logger, metrics, namespaces: new Map(namespaces), ...time });
  const ask = async (request: AdmissionRequest): Promise<PluginAnswer> => {
    const answer = plugin.answer(request);
    // Each key is checked in its own turn of the event loop.
    for (let turn = 0; turn < 10; turn++) await clock.advance(0);
    return await answer;
  };
  const unchecked = async (): Promise<readonly string[]> => {
    const counts = await Promise.all(
      uncheckedReasons.map(
        async (reason) => await metric(metrics, `reroll_webhook_unchecked_total{reason="${reason}"}`),
      ),
    );
    return uncheckedReasons.filter((_reason, index) => counts[index]! > 0);
  };
  const result = async (name: string): Promise<number> =>
    await metric(metrics, `reroll_webhook_content_checks_total{result="${name}"}`);
  return { plugin, ask, unchecked, result, logger, clock, stored, requests: transport.requests };
}

type Asked = Readonly<Record<string, string>>;

function annotated(asked: Asked): { readonly annotations: Asked } {
  return { annotations: Object.fromEntries(Object.entries(asked).map(([key, value]) => [`reroll.dev/${key}`, value])) };
}

function requestOf(changed: Readonly<Record<string, unknown>>): AdmissionRequest {
  return parseAdmissionReview(bytes(review({ oldObject: null, operation: 'CREATE', ...changed })))!.request!;
}

const metadata = { name: 'app', namespace: 'shop', uid: 'uid-app' };

/** A write that creates the ConfigMap, or changes it from `before`. */
function written(asked: Asked, data: Asked, before?: object): AdmissionRequest {
  return requestOf({
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    name: 'app',
    object: app(asked, data),
    ...(before && { operation: 'UPDATE', oldObject: before }),
  });
}

function app(asked: Asked, data: Asked): object {
  return configMap({ metadata: { ...metadata, ...annotated(asked) }, data });
}

const deny = { validate: 'deny' };
const denied = (message: string): PluginAnswer => ({
  denied: { message: `ConfigMap shop/app: ${message}`, reason: 'Invalid', code: 422 },
});
const warned = (...lines: readonly string[]): PluginAnswer => ({
  warnings: lines.map((line) => `ConfigMap shop/app: ${line}`),
});
const noValue = 'a.json:1:7: this is not a JSON value';

describe('contentCheckPlugin', () => {
  it.each([
    ['an annotation', written({ validate: 'warn' }, {}), true],
    ['another annotation', written({ 'max-bytes': '1' }, {}), true],
    ['off', written({ validate: 'off' }, {}), false],
    ['no annotation', written({}, {}), false],
    ['a deletion', requestOf({ operation: 'DELETE', object: null, oldObject: app(deny, {}) }), false],
    [
      'another kind',
      requestOf({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' }, object: app(deny, {}) }),
      false,
    ],
  ])('of %s wants %#', (_what, request, wants) => {
    expect(world().plugin.wants(request, 'validate')).toBe(wants);
  });

  it.each<[string, AdmissionRequest, PluginAnswer, string]>([
    ['nothing wrong', written(deny, { 'a.json': sound, 'b.txt': '{' }), {}, 'passed'],
    ['a broken key', written(deny, { 'a.json': broken }), denied(noValue), 'denied'],
    ['a broken key that only warns', written({ validate: 'warn' }, { 'a.json': broken }), warned(noValue), 'warned'],
    [
      'two broken keys',
      written(deny, { 'b.yaml': 'a: 1\na: 2\n', 'a.json': broken }),
      denied(`${noValue}; b.yaml:2:1: this key appears twice`),
      'denied',
    ],
    [
      'a missing key',
      written({ ...deny, 'required-keys': 'a.json,b' }, { 'a.json': sound }),
      denied('the key b is missing'),
      'denied',
    ],
    [
      'too many bytes',
      written({ ...deny, 'max-bytes': '3' }, { a: 'é', b: 'xx' }),
      denied('the content has 4 bytes, the limit is 3'),
      'denied',
    ],
    [
      'an invalid annotation',
      written({ validate: 'DENY' }, { 'a.json': broken }),
      warned(noValue, 'annotation reroll.dev/validate="DENY" is not a mode: faults only warn; write warn, deny or off'),
      'warned',
    ],
  ])('of %s says so', async (_what, request, expected, result) => {
    const { ask, result: count } = world();
    expect(await ask(request)).toEqual(expected);
    expect(await count(result)).toBe(1);
  });

  it('checks what its namespace is configured for, and dry runs', async () => {
    const { plugin, ask } = world({}, [['shop', 'deny']]);
    const request = { ...written({}, { 'a.json': broken }), dryRun: true };
    expect(plugin.wants(request, 'validate')).toBe(true);
    expect(await ask(request)).toEqual(denied(noValue));
    expect(plugin.wants(written({ validate: 'off' }, {}), 'validate')).toBe(false);
    expect(plugin.wants({ ...request, namespace: 'other' }, 'validate')).toBe(false);
  });

  it('lists no more than eight faults in a denial', async () => {
    const data = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.json`, '']));
    const { denied: refusal } = await world().ask(written(deny, data));
    expect(refusal?.message.split('; ')).toHaveLength(8);
    expect(refusal?.message).toMatch(/6\.json:1:1: a value is missing; and 3 more$/);
  });

  describe('of an update', () => {
    it.each<[string, AdmissionRequest, PluginAnswer]>([
      [
        'warns about a key that was broken before, so that another can be fixed',
        written(deny, { 'a.json': broken, b: '2' }, app(deny, { 'a.json': broken, b: '1' })),
        warned(noValue),
      ],
      [
        'denies if a broken key is broken in another way',
        written(deny, { 'a.json': broken }, app(deny, { 'a.json': `${broken} ` })),
        denied(noValue),
      ],
      [
        'warns if the check is new and the content old',
        written(deny, { 'a.json': broken }, app({}, { 'a.json': broken })),
        warned(noValue),
      ],
      [
        'denies and warns at once',
        written(deny, { 'a.json': broken, 'b.json': broken }, app(deny, { 'b.json': broken })),
        { ...denied(noValue), ...warned('b.json:1:7: this is not a JSON value') },
      ],
      ['is silent if nothing changes', written(deny, { 'a.json': broken }, app(deny, { 'a.json': broken })), {}],
      [
        'denies the removal of a required key',
        written({ ...deny, 'required-keys': 'a' }, {}, app({}, { a: '' })),
        denied('the key a is missing'),
      ],
      [
        'warns about a required key that was missing before',
        written({ ...deny, 'required-keys': 'a' }, { b: '1' }, app({}, {})),
        warned('the key a is missing'),
      ],
      [
        'denies growth beyond the limit',
        written({ ...deny, 'max-bytes': '1' }, { a: 'xxx' }, app({}, { a: 'xx' })),
        denied('the content has 3 bytes, the limit is 1'),
      ],
      [
        'warns if it shrinks to more than the limit',
        written({ ...deny, 'max-bytes': '1' }, { a: 'xx' }, app({}, { a: 'xxx' })),
        warned('the content has 2 bytes, the limit is 1'),
      ],
    ])('%s', async (_what, request, expected) => {
      expect(await world().ask(request)).toEqual(expected);
    });
  });

  describe('with secret content', () => {
    const texts: Readonly<Record<string, string>> = {
      'a.json': broken,
      'b.yaml': `a: "${canary}\n`,
      'c.toml': `a = ${canary}\n`,
      'd.properties': `a=${canary}\\u12`,
      'e.env': `A="${canary}`,
      'f.yaml': `a: ${canary}\n${canary}: *${canary}\n`,
      'g.json': `{"${canary}": "${canary}"}`,
    };
    const asked = annotated({ ...deny, schema: 'g.json=shapes', 'max-bytes': '1' });
    const shapes = { schema: '{"additionalProperties": false, "required": ["b"], "propertyNames": {"maxLength": 1}}' };

    it.each([
      ['Secret', requestOf({ object: secret(texts, asked) })],
      [
        'ConfigMap',
        requestOf({
          kind: { group: '', version: 'v1', kind: 'ConfigMap' },
          object: configMap({ metadata: { ...metadata, ...asked }, data: texts }),
        }),
      ],
    ])('says where the fault in a %s is, and shows none of its content', async (_kind, request) => {
      const { ask, logger } = world({ shapes });
      const answer = await ask(request);
      expect(answer.denied?.message).toContain('a.json:1:7');
      expect(answer.denied?.message).toContain('and 3 more');
      for (const [what, text] of Object.entries(texts)) {
        const one = await ask(requestOf({ object: secret({ [what]: text }, asked) }));
        expect(one.denied?.message).toContain(`${what}:`);
        expect(JSON.stringify(one)).not.toContain(canary);
      }
      expect(JSON.stringify([answer, logger.lines])).not.toContain(canary);
    });

    it.each([
      ['binaryData', configMap({ metadata: { ...metadata, ...asked }, binaryData: { 'a.json': 'eHh4' } }), 'ConfigMap'],
      ['bytes that are not text', { ...secret({}, asked), data: { 'a.json': '/w==' } }, 'Secret'],
    ])('does not check %s', async (_what, object, kind) => {
      const { ask } = world({ shapes });
      const answer = await ask(requestOf({ kind: { group: '', version: 'v1', kind }, object }));
      expect(answer.denied?.message ?? '').not.toContain('a.json');
    });
  });

  describe('with a schema', () => {
    const asked = { ...deny, schema: 'shapes' };
    const shapes = { 'app.json': '{"properties": {"a": {"maxLength": 1}}}' };
    const tooLong = 'a.json:1:7: the text is longer than the schema allows (shapes/app.json:1:36)';

    it('validates against it, and reads it from the same namespace', async () => {
      const { ask, requests } = world({ shapes });
      expect(await ask(written(asked, { 'a.json': sound }))).toEqual(denied(tooLong));
      const path = '/api/v1/namespaces/shop/configmaps/shapes';
      expect(requests.map((request) => request.path)).toEqual([path, path]);
      // The text is read once, then only its metadata.
      expect(await ask(written(asked, { 'a.json': sound }))).toEqual(denied(tooLong));
      expect(requests.map(({ headers }) => headers['accept']?.includes('as=PartialObjectMetadata'))).toEqual([
        ...[true, false],
        true,
      ]);
    });

    it('uses a schema that has been corrected at once', async () => {
      const { ask, stored } = world({ shapes });
      expect(await ask(written(asked, { 'a.json': sound }))).toEqual(denied(tooLong));
      stored.set('shapes', { 'app.json': '{}' });
      expect(await ask(written(asked, { 'a.json': sound }))).toEqual({});
    });

    it('does not read one that no key needs', async () => {
      const { ask, requests } = world();
      expect(await ask(written({ ...deny, schema: 'b.json=shapes' }, { 'a.json': sound, c: 'x' }))).toEqual({});
      expect(requests).toEqual([]);
    });

    it('uses the named key of the schema for the named key of the source, in YAML too', async () => {
      const { ask } = world({ shapes: { 'one.yaml': 'maxProperties: 0\n', 'two.yaml': '{}' } });
      const asked = { ...deny, schema: 'a.json=shapes/one.yaml, b.json=shapes/two.yaml' };
      expect(await ask(written(asked, { 'a.json': sound, 'b.json': sound }))).toEqual(
        denied('a.json:1:1: there are more properties than the schema allows (shapes/one.yaml:1:16)'),
      );
    });
  });

  describe('if it cannot check, allows with a warning, and counts it:', () => {
    const asked = { ...deny, schema: 'shapes' };
    const data = { 'a.json': sound };
    const noSchema =
      'not checked with a schema: there is no ConfigMap shapes in shop that is annotated reroll.dev/is-schema: "true"; create it, or annotate it';

    it.each<[string, Schemas, AdmissionRequest, string, string]>([
      ['a schema that does not exist', {}, written(asked, data), 'schema_missing', noSchema],
      [
        'a ConfigMap without the schema annotation',
        { shapes: { annotations: {}, data: { 'app.json': '{}' } } },
        ...([written(asked, data), 'schema_missing', noSchema] as const),
      ],
      [
        'a ConfigMap whose annotation says that it is not a schema',
        { shapes: { annotations: { 'reroll.dev/is-schema': 'false' }, data: { 'app.json': '{}' } } },
        ...([written(asked, data), 'schema_missing', noSchema] as const),
      ],
      [
        'a schema without a key',
        { shapes: {} },
        written(asked, data),
        'schema_missing',
        'not checked with a schema: ConfigMap shapes has 0 keys: name the one with the schema, as shapes/key',
      ],
      [
        'one of several keys',
        { shapes: { a: '{}', b: '{}' } },
        written(asked, data),
        'schema_missing',
        'not checked with a schema: ConfigMap shapes has 2 keys: name the one with the schema, as shapes/key',
      ],
      [
        'a key that does not exist',
        { shapes: { a: '{}' } },
        written({ ...asked, schema: 'shapes/b' }, data),
        'schema_missing',
        'not checked with a schema: ConfigMap shapes has no key b',
      ],
      ['a schema that may not be read', { shapes: 403 }, written(asked, data), 'schema_unavailable', noSchema],
      [
        'a broken API server',
        { shapes: 500 },
        written(asked, data),
        'schema_unavailable',
        'not checked with a schema: the schema in ConfigMap shapes could not be read',
      ],
      [
        'a broken schema',
        { shapes: { a: '{"b":' } },
        written(asked, data),
        'schema_unreadable',
        'not checked with a schema: the schema cannot be used: shapes/a:1:6: a value is missing',
      ],
      [
        'a schema with a keyword that is not supported',
        { shapes: { a: '{"$dynamicRef": "#"}' } },
        written(asked, data),
        'schema_unreadable',
        'a.json is not checked with a schema: shapes/a:1:17: this keyword is not supported',
      ],
      [
        'a schema of several documents',
        { shapes: { 'a.yaml': '---\n{}\n---\n{}\n' } },
        written(asked, data),
        'schema_unreadable',
        'not checked with a schema: the schema cannot be used: shapes/a.yaml: a schema is one document',
      ],
      [
        'a schema that is too large',
        { shapes: { a: `"${'x'.repeat(256 * 1024)}"` } },
        written(asked, data),
        'schema_unreadable',
        'not checked with a schema: the schema shapes/a is too large',
      ],
      [
        'a recursive schema',
        { shapes: { a: '{"$ref": "#"}' } },
        written(asked, data),
        'schema_unreadable',
        'a.json is not checked with a schema: shapes/a: schema and content together are too complex',
      ],
      [
        'content that is too large',
        {},
        written(deny, { 'a.yaml': tooLarge }),
        'too_large',
        'a.yaml is not checked: it has more than 131072 bytes',
      ],
      [
        'content that is nested too deep',
        {},
        written(deny, { 'a.yaml': `a: ${'['.repeat(300)}` }),
        'too_large',
        'a.yaml is not checked: it is nested more than 256 levels deep',
      ],
      [
        'a parser that fails',
        {},
        written(deny, { 'a.json': '['.repeat(20_000) }),
        'crash',
        'a.json is not checked: its parser failed',
      ],
    ])('%s', async (_what, schemas, request, reason, line) => {
      const { ask, unchecked, logger } = world(schemas);
      expect(await ask(request)).toEqual(warned(line));
      expect(await unchecked()).toEqual([reason]);
      expect(logger.lines).toMatchObject([{ message: 'content is not checked in full', fields: { because: [line] } }]);
    });

    it('and logs only the first reasons, however many keys there are', async () => {
      const { ask, logger } = world({ shapes: { a: '{"$dynamicRef": "#"}' } });
      const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.json`, '1']));
      await ask(written(asked, many));
      const why = 'is not checked with a schema: shapes/a:1:17: this keyword is not supported';
      const first = Array.from({ length: 7 }, (_, index) => `${index}.json ${why}`);
      expect(logger.lines).toMatchObject([{ fields: { because: [...first, 'and 2 more'] } }]);
    });

    it('and logs some writes of a namespace within an hour, however many there are', async () => {
      const { ask, logger } = world();
      for (let n = 0; n < 150; n++) await ask(written(deny, { 'a.json': '['.repeat(20_000) }));
      expect(logger.lines).toHaveLength(100);
      expect(logger.lines.at(-1)?.message).toMatch(/ \(and no more of namespace shop for an hour\)$/);
    });

    it('a source with more keys than are looked at, in an update too', async () => {
      const { ask, unchecked } = world();
      const keys = Array.from({ length: budgets.sourceKeysRead + 1 }, (_, index) => [`${index}.json`, broken]);
      const many = Object.fromEntries(keys);
      const line = 'it is not checked: it has more than 16384 keys';
      expect(await ask(written(deny, many))).toEqual(warned(line));
      expect(await ask(written(deny, {}, app(deny, many)))).toEqual(warned(line));
      expect(await unchecked()).toEqual(['too_large']);
    });

    it('an API server that does not answer', async () => {
      const { client, clock, logger } = clientWorld(async () => await new Promise(() => undefined));
      const metrics = new WebhookMetrics();
      const plugin = contentCheckPlugin({ client, clock, logger, metrics, namespaces: new Map() });
      const answer = plugin.answer(written(asked, data));
      await clock.advance(200);
      expect(await answer).toEqual(
        warned('not checked with a schema: the schema in ConfigMap shapes could not be read'),
      );
    });

    it('time that is over', async () => {
      const { plugin, clock, unchecked } = world({}, [], { withinMs: 0 });
      const answer = plugin.answer(written(deny, { 'a.json': broken }));
      await clock.advance(0);
      expect(await answer).toEqual(warned('a.json is not checked: it takes too long'));
      expect(await unchecked()).toEqual(['deadline']);
    });

    it('keys for which no time is left, without a turn and a line for each', async () => {
      const { plugin, clock, unchecked, logger } = world({}, [], { withinMs: 0 });
      const keys = Array.from({ length: 2_000 }, (_, index) => [`${String(index).padStart(4, '0')}.json`, sound]);
      const answer = plugin.answer(written(deny, Object.fromEntries(keys)));
      await clock.advance(0);
      const line = '0000.json and 1999 more keys are not checked: it takes too long';
      expect(await answer).toEqual(warned(line));
      expect(await unchecked()).toEqual(['deadline']);
      expect(logger.lines).toMatchObject([{ fields: { because: [line] } }]);
    });

    it('YAML that takes too long', async () => {
      const { plugin, clock, unchecked } = world({}, [], { withinMs: 10 });
      const answer = plugin.answer(written(deny, { 'a.yaml': '- a\n'.repeat(25_000) }));
      await clock.advance(0);
      expect(await answer).toEqual(warned('a.yaml is not checked: it takes too long'));
      expect(await unchecked()).toEqual(['deadline']);
    });

    it('a review that is forged', async () => {
      const { plugin } = world();
      const forged = { ...secret({}, annotated(deny)), data: { 'a.json': 17 } };
      await expect(plugin.answer(requestOf({ object: forged }))).rejects.not.toThrow(/17/);
    });
  });
});
