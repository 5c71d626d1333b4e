import type { BinaryName } from './binaries';
import type { ControlPlaneVersions } from './versions';

/** One folder below `go/`: our Go module whose only purpose is to pin the versions of programs built from it. */
export interface GoModule {
  readonly folder: string;
  /** The main package of each program. */
  readonly packages: Readonly<Partial<Record<BinaryName, string>>>;
  /** More linker flags; symbols are always omitted. */
  readonly linkerFlags: (versions: ControlPlaneVersions) => readonly string[];
}

/** All modules, quick builds first, so that a mistake in the setup shows before four minutes have passed. */
export const goModules: readonly GoModule[] = [
  {
    folder: 'etcd',
    packages: { etcd: 'go.etcd.io/etcd/server/v3' },
    linkerFlags: () => [],
  },
  {
    folder: 'kwok',
    packages: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    linkerFlags: () => [],
  },
  {
    folder: 'kubernetes',
    packages: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
    },
    linkerFlags: ({ kubernetes }) => {
      const [major = '', minor = ''] = kubernetes.slice(1).split('.');
      // Without these flags, the API server reports version v0.0.0, and clients that compare versions misbehave.
      return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((versionPackage) => [
        `-X ${versionPackage}.gitVersion=${kubernetes}`,
        `-X ${versionPackage}.gitMajor=${major}`,
        `-X ${versionPackage}.gitMinor=${minor}`,
      ]);
    },
  },
];
