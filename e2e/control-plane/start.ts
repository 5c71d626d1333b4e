import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type LocatedBinaries, locateBinaries } from './binaries';
import { BuiltControlPlane } from './built-control-plane';
import type { ControlPlane } from './cluster';
import * as commands from './commands';
import { writeCredentials } from './credentials';
import { sweepAbandoned } from './data-dir';
import { canRunPods, createNodes, nodeNames } from './nodes';
import { writePortForwards, type PortForward } from './port-forwards';
import { freePorts } from './ports';
import { ServerGroup } from './server-group';

/** Options of a control plane; everything has a default. */
export interface ControlPlaneOptions {
  /** How many nodes to create; 2 by default. */
  readonly nodeCount?: number;
  /** Appended to the command line of the API server. If a flag is repeated, the last one wins. */
  readonly apiServerFlags?: readonly string[];
  /** More KWOK stage files, in addition to those of KWOK and of the `stages` folder here. */
  readonly stageFiles?: readonly string[];
  /** The ports of pods that the kubelets forward; none by default. */
  readonly portForwards?: readonly PortForward[];
  /** Folder for logs; by default the data folder, which `stop()` removes. */
  readonly logDir?: string;
}

const ownStagesDir = path.join(__dirname, 'stages');

/**
 * Starts a real Kubernetes control plane on loopback, with fake nodes on which pods become ready at once.
 *
 * @throws Error with the end of the log of the server that did not start. In that case nothing is left running.
 * @example
 * const plane = await startControlPlane();
 * await plane.kubectl(['create', 'deployment', 'web', '--image=web']);
 * await plane.stop();
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const located = locateBinaries();
  sweepAbandoned();
  if (options.logDir !== undefined) await mkdir(options.logDir, { recursive: true });
  const group = new ServerGroup(options.logDir);
  try {
    return await bringUp(group, located, options);
  } catch (error) {
    await group.stopAll();
    throw error;
  }
}

async function bringUp(
  group: ServerGroup,
  { binaries, stages }: LocatedBinaries,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const [etcdClient = 0, etcdPeer = 0, apiServer = 0, kubelet = 0] = await freePorts(4);
  const layout = { dataDir: group.dataDir, logDir: group.logDir, ports: { etcdClient, etcdPeer, apiServer } };

  const credentials = await writeCredentials(layout);
  const { apiServerFlags: moreFlags = [], portForwards } = options;
  // The names of the nodes do not resolve.
  const apiServerFlags = [...(portForwards ? ['--kubelet-preferred-address-types=InternalIP'] : []), ...moreFlags];
  const plane = new BuiltControlPlane({ group, binaries, layout, credentials, apiServerFlags });
  await plane.startEtcd();
  await plane.startApiServer();

  const ownStages = readdirSync(ownStagesDir).map((file) => path.join(ownStagesDir, file));
  const forwards = portForwards ? [await writePortForwards(layout.dataDir, portForwards)] : [];
  const configs = [...stages, ...ownStages, ...(options.stageFiles ?? []), ...forwards];
  const [kwok] = await Promise.all([
    group.start(commands.kwokCommand(binaries, layout, configs, portForwards && kubelet)),
    group.start(commands.controllerManagerCommand(binaries, layout)),
    group.start(commands.schedulerCommand(binaries, layout)),
  ]);
  const nodes = nodeNames(options.nodeCount ?? 2);
  await createNodes(plane.adminEndpoint, nodes);
  await group.waitFor(kwok, 'the nodes to be ready', async () =>
    (await canRunPods(plane.adminEndpoint, nodes)) ? true : undefined,
  );
  return plane;
}
