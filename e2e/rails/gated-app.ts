import { auto, TestNamespace } from '../cluster/test-namespace';
import type { PollOptions } from '../control-plane/poll';
import type { ClusterUnderTest } from '../webhook/cluster-under-test';

/** The objects that can say when an app may be restarted. */
const bearerKinds = { workload: 'StatefulSet', source: 'ConfigMap', namespace: 'Namespace' } as const;
export type Bearer = keyof typeof bearerKinds;

/** Both of the StatefulSet and of the ConfigMap. */
const name = 'web';

/** A StatefulSet and the ConfigMap that it uses, in a namespace of their own. */
export class GatedApp {
  readonly namespace: TestNamespace;

  /** Resolves once the StatefulSet has a baseline. */
  static async create(
    cluster: ClusterUnderTest,
    namespace: string,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<GatedApp> {
    const app = new GatedApp(await TestNamespace.create(cluster, namespace));
    await app.namespace.createApp(name, { ...auto, ...annotations });
    await app.namespace.adopted('StatefulSet', name);
    return app;
  }

  private constructor(namespace: TestNamespace) {
    this.namespace = namespace;
  }

  /** The StatefulSet as the log names it. */
  get workload(): string {
    return `StatefulSet ${this.namespace.name}/${name}`;
  }

  async annotate(bearer: Bearer, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const bearerName = bearer === 'namespace' ? this.namespace.name : name;
    await this.namespace.patch(bearerKinds[bearer], bearerName, { metadata: { annotations } });
  }

  async paint(color: string): Promise<void> {
    await this.namespace.paint(name, color);
  }

  /** Resolves once an Event tells that a restart is deferred, and until when or by what. */
  async deferred(why: string): Promise<void> {
    await this.namespace.eventWith(`ReloadDeferred ${name}: deferred ${why}`);
  }

  async restarts(): Promise<number> {
    return await this.namespace.restarts(name);
  }

  async restarted(times: number, options?: PollOptions): Promise<void> {
    await this.namespace.restarted(name, times, options);
  }
}
