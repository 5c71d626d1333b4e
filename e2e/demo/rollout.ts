import { isReady } from '../apiserver/controllers/workload-client';
import { sameJson } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { podKind } from '../apiserver/resources';
import type { Source } from './reasons';
import type { Stage } from './stage';

/** Waits until all pods in `before` are replaced, and their successors are ready and have read the current source. */
export async function awaitRollout(
  stage: Stage,
  app: string,
  source: Source,
  before: readonly KubeObject[],
): Promise<void> {
  const { cluster, timeline, checks } = stage;
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  const replaced = (): readonly KubeObject[] => cluster.podsOf(app).filter(({ metadata }) => !old.has(metadata.uid));
  await stage.until(() => replaced().length === before.length && allRunNewest(stage, app, source));
  const readied = replaced().flatMap(({ metadata }) => cluster.lastWriteOf(podKind, metadata.name) ?? []);
  for (const { object, atMs } of readied.toSorted((left, right) => left.atMs - right.atMs)) {
    timeline.row('pod', `${object.metadata.name}, a new one, is ready and has read the new content`, { atMs });
  }
  checks.equal('every pod was replaced', replaced().length, before.length);
  checks.equal('every pod is ready and has read the new content', allRunNewest(stage, app, source), true);
}

/** Whether there are pods, and each is ready and read at its start the content that the source has now. */
export function allRunNewest({ cluster }: Stage, app: string, source: Source): boolean {
  const pods = cluster.podsOf(app);
  const today = cluster.source(source);
  const { plural } = cluster.server.kindOf(source.kind);
  return (
    pods.length > 0 &&
    pods.every((pod) => {
      const read = cluster.controllers.podSources().get(pod.metadata.uid)?.get(`${plural}/${source.name}`);
      return isReady(pod) && sameJson(read?.['data'], today['data']);
    })
  );
}
