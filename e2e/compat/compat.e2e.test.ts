import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { argo } from './argo.specs';
import { changes } from './changes.specs';
import { CompatCluster } from './compat-cluster';
import { createDelete } from './create-delete.specs';
import { csi } from './csi.specs';
import { decisions } from './decisions.specs';
import { GroupRun } from './group-run';
import { workloadKinds } from './kinds.specs';
import { namespaces } from './namespaces.specs';
import { pause } from './pause.specs';
import { references } from './references.specs';
import { strategies } from './strategies.specs';
import { telling } from './telling.specs';
import type { Group } from './spec';

const groups: readonly Group[] = [
  ...decisions,
  ...references,
  ...changes,
  ...strategies,
  ...workloadKinds,
  ...createDelete,
  ...pause,
  ...csi,
  ...namespaces,
  ...telling,
  ...argo,
];

let cluster: CompatCluster | undefined;

beforeAll(async () => {
  cluster = await CompatCluster.start();
});

afterAll(async () => {
  await cluster?.stop();
});

/** Each test compares the number of restarts per workload (`Kind/name`) with the expected one, also 0. */
describe.each(groups)('$name: $flags', (group) => {
  let run: GroupRun | undefined;

  beforeAll(async () => {
    if (!cluster) throw new Error('there is no cluster');
    run = new GroupRun(cluster, group);
    await run.run();
  });

  afterAll(async () => await run?.end());

  it.each(group.specs.map((spec, index) => ({ ...spec, spec, index })))('$title', async ({ spec, index }) => {
    if (!run) throw new Error('the group did not run');
    run.failed(spec);
    const place = run.place(index);
    const workloads = Object.keys(spec.restarts);
    expect(Object.fromEntries(workloads.map((workload) => [workload, place.restarts(workload)]))).toEqual(
      spec.restarts,
    );
    const untouched = workloads.filter((workload) => spec.restarts[workload] === 0 && !spec.isNoted);
    expect(untouched.filter((workload) => place.claimsRestart(workload))).toEqual([]);
    await spec.judge?.(place);
  });
});
