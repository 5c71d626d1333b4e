import { describe, expect, it } from '@jest/globals';
import type { SchemaReference } from '../../shared/domain/content-check/check-settings';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { SchemaReader, SchemaReadError } from './schema-reader';

type Data = Readonly<Record<string, string>>;

const marks = { 'reroll.dev/is-schema': 'true' };
const shapes: SchemaReference = { key: undefined, configMap: 'shapes', schemaKey: undefined };

/** ConfigMap `shop/shapes` as stored; a number is an error status. */
interface Stored {
  configMap: { readonly annotations: Data; readonly data: Data } | number;
}

function world(configMap: Stored['configMap'] = 404) {
  const stored: Stored = { configMap };
  const { client, clock, transport } = clientWorld(() => {
    if (typeof stored.configMap === 'number') return refusal(stored.configMap, 'Refused');
    const { annotations, data } = stored.configMap;
    const resourceVersion = JSON.stringify(stored.configMap);
    return { body: { metadata: { name: 'shapes', uid: 'uid-shapes', resourceVersion, annotations }, data } };
  });
  const reader = new SchemaReader(clock, client);
  const read = async (reference = shapes): Promise<string> => {
    try {
      return (await reader.read('shop', reference, 100)).name;
    } catch (thrown) {
      if (!(thrown instanceof SchemaReadError)) throw thrown;
      return thrown.message;
    }
  };
  const asked = () => {
    const accepts = transport.requests.map(({ headers }) => headers['accept']);
    return accepts.map((accept) => (accept?.includes('as=PartialObjectMetadata') === true ? 'metadata' : 'all of it'));
  };
  return { stored, read, asked, clock };
}

describe('a schema', () => {
  it('is read once, and only its metadata is read each time', async () => {
    const { stored, read, asked } = world({ annotations: marks, data: { 'app.json': '{}' } });
    expect(await read()).toBe('shapes/app.json');
    expect(await read()).toBe('shapes/app.json');
    expect(asked()).toEqual(['metadata', 'all of it', 'metadata']);
    stored.configMap = { annotations: marks, data: { 'app.json': 'not JSON' } };
    expect(await read()).toMatch(/^the schema cannot be used: shapes\/app\.json:1:1: /);
  });

  it('is not used once its ConfigMap loses the annotation', async () => {
    const { stored, read } = world({ annotations: marks, data: { 'app.json': '{}' } });
    await read();
    stored.configMap = { annotations: {}, data: { 'app.json': '{}' } };
    expect(await read()).toBe(await world().read());
  });

  it('is cached per key of its ConfigMap', async () => {
    const { read } = world({ annotations: marks, data: { 'a.json': '{}', 'b.json': '{}' } });
    expect(await read({ ...shapes, schemaKey: 'a.json' })).toBe('shapes/a.json');
    expect(await read({ ...shapes, schemaKey: 'b.json' })).toBe('shapes/b.json');
    expect(await read()).toBe('ConfigMap shapes has 2 keys: name the one with the schema, as shapes/key');
  });

  it('has no time of its own to be parsed', async () => {
    const { client, clock } = clientWorld(async () => {
      await new Promise<void>((resolve) => void clock.timer(49.8, resolve));
      const metadata = { name: 'shapes', uid: 'u', resourceVersion: '1', annotations: marks };
      return { body: { metadata, data: { 'app.json': '{}' } } };
    });
    const read = new SchemaReader(clock, client).read('shop', shapes, 100);
    const message = 'the schema shapes/app.json could not be parsed in time';
    const failed = expect(read).rejects.toMatchObject({ message, reason: 'deadline' });
    await clock.advance(99.9);
    await failed;
  });

  it('has one time limit for both requests together', async () => {
    const { client, clock, transport } = clientWorld(async () => {
      if (transport.requests.length > 1) return await new Promise(() => undefined);
      await new Promise<void>((resolve) => void clock.timer(80, resolve));
      return { body: { metadata: { name: 'shapes', uid: 'u', resourceVersion: '1', annotations: marks } } };
    });
    const read = new SchemaReader(clock, client).read('shop', shapes, 100);
    const failed = expect(read).rejects.toThrow('the schema in ConfigMap shapes could not be read');
    await clock.advance(100);
    await failed;
  });
});

describe('a ConfigMap without the schema annotation', () => {
  const contents: readonly Data[] = [{}, { a: '{"const": 1}' }, { a: '{"b":' }, { a: '{}', b: '{}' }, { a: 'hunter2' }];
  const annotations: readonly Data[] = [{}, { 'reroll.dev/is-schema': 'True' }, { 'reroll.dev/schema': 'shapes' }];

  it.each([undefined, 'a', 'z'])('does not reveal that it exists or what it holds: %s', async (key) => {
    const reference = { ...shapes, schemaKey: key };
    const missing = await world().read(reference);
    expect(missing).toBe(
      'there is no ConfigMap shapes in shop that is annotated reroll.dev/is-schema: "true"; create it, or annotate it',
    );
    expect(await world(403).read(reference)).toBe(missing);
    for (const stored of annotations.flatMap((said) => contents.map((data) => ({ annotations: said, data })))) {
      const { read, asked } = world(stored);
      expect(await read(reference)).toBe(missing);
      // The same request as for a ConfigMap that does not exist.
      expect(asked()).toEqual(['metadata']);
    }
  });
});
