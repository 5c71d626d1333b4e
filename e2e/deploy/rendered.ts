import type { Manifest } from './rendered-chart';

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly [field: string]: unknown;
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [Container];
  readonly volumes?: readonly object[];
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly metadata: Manifest['metadata'];
  readonly spec: PodSpec;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The objects of a rendered chart, with access to what tests check. */
export class Rendered {
  readonly manifests: readonly Manifest[];

  constructor(manifests: readonly Manifest[]) {
    this.manifests = manifests;
  }

  /** Names such as `Deployment reroll`, sorted; without the kind if exactly one kind is given. */
  names(...kinds: readonly string[]): readonly string[] {
    return this.manifests
      .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
      .map(({ kind, metadata }) => (kinds.length === 1 ? metadata.name : `${kind} ${metadata.name}`))
      .sort();
  }

  /** The only object of this kind and name. Throws if there is not exactly one. */
  one(kind: string, name?: string): Manifest {
    const found = this.manifests.filter(
      (manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
    );
    const [first] = found;
    if (!first || found.length > 1) throw new Error(`${found.length} of ${kind} ${name ?? ''}: ${this.names().join()}`);
    return first;
  }

  /** The `spec` of an object. */
  spec(kind: string, name?: string): Readonly<Record<string, unknown>> {
    return this.one(kind, name)['spec'] as Readonly<Record<string, unknown>>;
  }

  template(deployment = 'reroll'): PodTemplate {
    return this.spec('Deployment', deployment)['template'] as PodTemplate;
  }

  pod(deployment = 'reroll'): PodSpec {
    return this.template(deployment).spec;
  }

  container(deployment = 'reroll'): Container {
    return this.pod(deployment).containers[0];
  }

  args(deployment = 'reroll'): readonly string[] {
    return this.container(deployment).args;
  }

  /** Environment variables by name, each as its value or `valueFrom`. */
  env(deployment = 'reroll'): Readonly<Record<string, unknown>> {
    const all = this.container(deployment).env ?? [];
    return Object.fromEntries(all.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
  }

  /** One text per rule, such as `get list configmaps,secrets`. */
  rules(kind: 'ClusterRole' | 'Role', name = 'reroll'): readonly string[] {
    return (this.one(kind, name)['rules'] as readonly Rule[]).map(
      ({ verbs, resources, resourceNames = [] }) =>
        `${verbs.join(' ')} ${resources.join(',')}${resourceNames.length > 0 ? `/${resourceNames.join(',')}` : ''}`,
    );
  }

  /** The resources of the first rule of each webhook. */
  hooked(kind: string): readonly string[] {
    const hooks = this.one(kind)['webhooks'] as readonly { readonly rules: readonly [Rule] }[];
    return hooks.map(({ rules: [{ resources }] }) => resources.join());
  }
}
