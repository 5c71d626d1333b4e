import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePorts } from '../control-plane/ports';
import { admissionFailures, noFailures } from './admission-counts';
import { RerollCluster } from './reroll-cluster';
import { Service } from './service';
import { WriteLoad } from './write-load';

let cluster: RerollCluster;
let service: Service;

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating', 'validating']);
  service = new Service();
  await service.listen(cluster.webhookPort);
});

afterAll(async () => {
  service.close();
  await cluster.stop();
});

it('a webhook that is told to stop under load fails no call', async () => {
  const [first = 0, second = 0] = await freePorts(2);
  const leaving = await cluster.webhook({ port: first });
  service.endpoint = first;
  const load = await WriteLoad.start(cluster.admin);
  await cluster.webhook({ port: second });
  service.endpoint = second;
  expect(await leaving.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const { failures, perSecond } = await load.stop();
  expect(failures).toEqual([]);
  expect(perSecond).toBeGreaterThan(50);
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});
