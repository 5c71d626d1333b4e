import { expect, it } from '@jest/globals';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { lookAtKinds } from './seen-kind';

const kinds = [workloadKind('Deployment'), workloadKind('Rollout')];
const isList = (path: string): boolean => path.includes('/namespaces/shop/');

const web: Reply = { body: { items: [{ metadata: { name: 'web', uid: 'u', resourceVersion: '1' } }] } };
const empty: Reply = { body: { items: [] } };
const forbidden = refusal(403, 'Forbidden', 'User "bob" cannot list resource "rollouts" in API group "argoproj.io"');
const missing = 'you may not list rollouts.argoproj.io in namespace shop';
const served: Reply = { body: { resources: [{ name: 'rollouts' }] } };
const otherOfArgo: Reply = { body: { resources: [{ name: 'applications' }] } };
const none = refusal(404, 'NotFound');
const broken = refusal(503, 'ServiceUnavailable');

it.each<[string, Reply, Reply, Reply, { values: string[]; missingRights: string[]; isAllHidden: boolean }]>([
  ['served', web, forbidden, served, { values: ['web'], missingRights: [missing], isAllHidden: false }],
  ['served, and nothing else is there', empty, forbidden, served, { values: [], missingRights: [missing], isAllHidden: false }], // prettier-ignore
  ['not served, its group neither', web, forbidden, none, { values: ['web'], missingRights: [], isAllHidden: false }],
  ['not served, but its group', empty, forbidden, otherOfArgo, { values: [], missingRights: [], isAllHidden: false }],
  ['of a group that nobody may ask about', empty, forbidden, forbidden, { values: [], missingRights: [missing], isAllHidden: false }], // prettier-ignore
  ['of a group whose server is down', empty, forbidden, broken, { values: [], missingRights: [missing], isAllHidden: false }], // prettier-ignore
  ['served alone', none, forbidden, served, { values: [], missingRights: [missing], isAllHidden: true }],
  ['not served, like any other', none, forbidden, none, { values: [], missingRights: [], isAllHidden: false }],
])('a kind that may not be listed is %s', async (_what, deployments, rollouts, discovery, expected) => {
  const { client } = clientWorld(({ path }) => {
    if (!isList(path)) return discovery;
    return path.includes('/deployments') ? deployments : rollouts;
  });
  const read = (_kind: unknown, { metadata }: { readonly metadata: { readonly name?: string | undefined } }) =>
    metadata.name === undefined ? [] : [metadata.name];
  expect(await lookAtKinds(client, kinds, 'shop', {}, read)).toEqual(expected);
});

it('asks what is served only after a refusal', async () => {
  const { client, transport } = clientWorld(() => empty);
  await lookAtKinds(client, kinds, 'shop', {}, () => []);
  expect(transport.requests.map(({ path }) => path).filter((path) => !isList(path))).toEqual([]);
});
