import { describe, expect, it } from '@jest/globals';
import { configMap, deployment } from '../cluster';
import { arrayAt, numberAt, objectAt, stringAt, valueAt, type JsonObject } from '../json';
import type { ContractContext } from './contract';

function names(list: JsonObject): readonly (string | undefined)[] {
  return arrayAt(list, 'items').map((item) => stringAt(item, 'metadata', 'name'));
}

/** Lists, pages and selectors. */
export function listContract(context: () => ContractContext): void {
  async function fiveConfigMaps(): Promise<string> {
    const { client, namespace, path } = context();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const labels = { suite: 'lists', odd: String(name.charCodeAt(0) % 2 === 1) };
      await client.post(path('v1', 'configmaps'), configMap({ name, namespace, labels, data: { name } }));
    }
    return `${path('v1', 'configmaps')}?labelSelector=suite%3Dlists`;
  }

  describe('lists', () => {
    it('lists in the order of names, with a resourceVersion, and items without kind', async () => {
      const { client } = context();
      const { body } = await client.get(await fiveConfigMaps());
      expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
      expect(names(body)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(stringAt(body, 'metadata', 'resourceVersion')).toMatch(/^[1-9]\d*$/);
      expect(valueAt(arrayAt(body, 'items')[0], 'kind')).toBeUndefined();
    });

    it('pages with limit and continue', async () => {
      const { client } = context();
      const url = await fiveConfigMaps();
      const first = await client.get(`${url}&limit=2`);
      expect(names(first.body)).toEqual(['a', 'b']);
      const next = async (page: JsonObject): Promise<JsonObject> =>
        (
          await client.get(
            `${url}&limit=2&continue=${encodeURIComponent(stringAt(page, 'metadata', 'continue') ?? '')}`,
          )
        ).body;
      const second = await next(first.body);
      expect(names(second)).toEqual(['c', 'd']);
      const third = await next(second);
      expect(names(third)).toEqual(['e']);
      expect(valueAt(third, 'metadata', 'continue')).toBeUndefined();
    });

    it('knows no pages at resourceVersion=0, which its cache answers', async () => {
      const { client } = context();
      const url = await fiveConfigMaps();
      const { body } = await client.get(url);
      // resourceVersion=0 means "any version", even one before the writes. So make the cache catch up first.
      const version = stringAt(body, 'metadata', 'resourceVersion') ?? '';
      await client.get(`${url}&resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
      expect(names((await client.get(`${url}&limit=2&resourceVersion=0`)).body)).toHaveLength(5);
    });

    it('shows one moment on all pages', async () => {
      const { client, namespace, path } = context();
      const url = await fiveConfigMaps();
      const { body: first } = await client.get(`${url}&limit=2`);
      await client.delete(path('v1', 'configmaps', 'd'));
      await client.put(
        path('v1', 'configmaps', 'e'),
        configMap({ name: 'e', namespace, labels: { suite: 'lists' }, data: { name: 'changed' } }),
      );
      await client.post(path('v1', 'configmaps'), configMap({ name: 'cc', namespace, labels: { suite: 'lists' } }));
      const token = encodeURIComponent(stringAt(first, 'metadata', 'continue') ?? '');
      const { body: rest } = await client.get(`${url}&continue=${token}`);
      expect(names(rest)).toEqual(['c', 'd', 'e']);
      expect(objectAt(arrayAt(rest, 'items')[2], 'data')).toEqual({ name: 'e' });
      expect(stringAt(rest, 'metadata', 'resourceVersion')).toBe(stringAt(first, 'metadata', 'resourceVersion'));
    });

    it('says how many remain when nothing is selected', async () => {
      const { client, path } = context();
      await fiveConfigMaps();
      const { body } = await client.get(`${path('v1', 'configmaps')}?limit=3`);
      expect(numberAt(body, 'metadata', 'remainingItemCount')).toBeGreaterThanOrEqual(2);
    });

    it('refuses a continue token that it did not make', async () => {
      const { client, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?limit=1&continue=nonsense`);
      expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
    });

    it.each([
      ['odd=true', ['a', 'c', 'e']],
      ['odd!=true', ['b', 'd']],
      ['odd in (true,other)', ['a', 'c', 'e']],
      ['odd notin (true)', ['b', 'd']],
      ['odd', ['a', 'b', 'c', 'd', 'e']],
      ['!odd', []],
    ])('selects by label: %s', async (selector, expected) => {
      const { client } = context();
      expect(names((await client.get(`${await fiveConfigMaps()},${encodeURIComponent(selector)}`)).body)).toEqual(
        expected,
      );
    });

    it('selects by name', async () => {
      const { client } = context();
      expect(names((await client.get(`${await fiveConfigMaps()}&fieldSelector=metadata.name%3Dc`)).body)).toEqual([
        'c',
      ]);
    });

    it.each([
      ['api/v1', 'configmaps'],
      ['api/v1', 'secrets'],
      ['apis/apps/v1', 'deployments'],
      ['apis/batch/v1', 'cronjobs'],
    ])('leaves namespaces out by field: %s/%s', async (api, plural) => {
      const { client, namespace } = context();
      await fiveConfigMaps();
      const found = async (fieldSelector: string): Promise<readonly (string | undefined)[]> => {
        const { status, body } = await client.get(
          `/${api}/${plural}?fieldSelector=${encodeURIComponent(fieldSelector)}`,
        );
        expect(status).toBe(200);
        return arrayAt(body, 'items').map((item) => stringAt(item, 'metadata', 'namespace'));
      };
      expect((await found('metadata.namespace!=other')).includes(namespace)).toBe(plural === 'configmaps');
      expect(await found(`metadata.namespace!=other,metadata.namespace!=${namespace}`)).not.toContain(namespace);
    });

    it('refuses a field that it cannot select by', async () => {
      const { client, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?fieldSelector=data.x%3D1`);
      expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
      expect(stringAt(body, 'message')).toContain(
        '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
      );
    });

    it('serves the state at an exact resourceVersion', async () => {
      const { client, path } = context();
      const url = await fiveConfigMaps();
      const { body: before } = await client.get(url);
      await client.delete(path('v1', 'configmaps', 'a'));
      const resourceVersion = stringAt(before, 'metadata', 'resourceVersion') ?? '';
      const { body } = await client.get(`${url}&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
      expect(body).toEqual(before);
    });

    it('serves what one object was when another of another resource was written', async () => {
      const { client, namespace, path } = context();
      const workload = (image: string): object => deployment({ name: 'web', namespace, image });
      const versionOf = (object: JsonObject): string => stringAt(object, 'metadata', 'resourceVersion') ?? '';
      const { body: first } = await client.post(path('apps/v1', 'deployments'), workload('app:1'));
      const { body: source } = await client.post(path('v1', 'configmaps'), configMap({ name: 'app', namespace }));
      await client.put(path('apps/v1', 'deployments', 'web'), workload('app:2'));
      const at = async (version: string): Promise<readonly unknown[]> => {
        const url = `${path('apps/v1', 'deployments')}?fieldSelector=metadata.name%3Dweb`;
        const { body } = await client.get(`${url}&resourceVersion=${version}&resourceVersionMatch=Exact`);
        return arrayAt(body, 'items').map((item) =>
          stringAt(arrayAt(item, 'spec', 'template', 'spec', 'containers')[0], 'image'),
        );
      };
      expect(await at(versionOf(source))).toEqual(['app:1']);
      expect(await at(String(Number(versionOf(first)) - 1))).toEqual([]);
    });

    it('serves one object as it was by name, label and limit, without a token to go on', async () => {
      const { client } = context();
      const url = await fiveConfigMaps();
      const resourceVersion = stringAt((await client.get(url)).body, 'metadata', 'resourceVersion') ?? '';
      await client.delete(context().path('v1', 'configmaps', 'c'));
      const found = async (version: string): Promise<JsonObject> =>
        (await client.get(`${url}&fieldSelector=metadata.name%3Dc&limit=1${version}`)).body;
      const before = await found(`&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
      expect(names(before)).toEqual(['c']);
      expect(valueAt(before, 'metadata', 'continue')).toBeUndefined();
      expect(names(await found(''))).toEqual([]);
    });

    it('has not seen the future', async () => {
      const { client } = context();
      const url = await fiveConfigMaps();
      const { body } = await client.get(`${url}&resourceVersion=999999999&resourceVersionMatch=NotOlderThan`);
      expect(body).toMatchObject({ code: 504, reason: 'Timeout' });
      expect(stringAt(body, 'message')).toContain('Too large resource version: 999999999, current: ');
    });

    it('refuses resourceVersionMatch without a resourceVersion', async () => {
      const { client, path } = context();
      const { body } = await client.get(`${path('v1', 'configmaps')}?resourceVersionMatch=Exact`);
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(stringAt(body, 'message')).toContain(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
    });

    it('lists metadata alone', async () => {
      const { client } = context();
      const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
      const { body } = await client.get(await fiveConfigMaps(), { accept });
      expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(names(body)).toHaveLength(5);
      expect(valueAt(arrayAt(body, 'items')[0], 'data')).toBeUndefined();
    });

    it('lists as a table for kubectl', async () => {
      const { client } = context();
      const { body } = await client.get(await fiveConfigMaps(), {
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      });
      expect(body['kind']).toBe('Table');
      expect(arrayAt(body, 'columnDefinitions').map((column) => stringAt(column, 'name'))).toEqual([
        'Name',
        'Data',
        'Age',
      ]);
      expect(arrayAt(arrayAt(body, 'rows')[0], 'cells').slice(0, 2)).toEqual(['a', 1]);
    });

    it('lists as a table with whole objects, by which kubectl sorts', async () => {
      const { client } = context();
      const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
      const url = await fiveConfigMaps();
      const dataOfFirst = async (query: string): Promise<unknown> =>
        valueAt(arrayAt((await client.get(`${url}${query}`, { accept })).body, 'rows')[0], 'object', 'data');
      expect(await dataOfFirst('')).toBeUndefined();
      expect(await dataOfFirst('&includeObject=Object')).toEqual({ name: 'a' });
    });

    it('refuses to answer in a type that it does not know', async () => {
      const { client, path } = context();
      expect((await client.get(path('v1', 'configmaps'), { accept: 'text/html' })).status).toBe(406);
    });
  });
}
