import type { BinaryName } from './binaries';
import type { ControlPlaneVersions } from './versions';

/** One folder below `go/`: a Go module of ours whose only purpose is to pin the programs that are built from it. */
export interface GoModule {
  readonly folder: string;
  /** The main package of each program. */
  readonly packages: Readonly<Partial<Record<BinaryName, string>>>;
  /** What the linker is told besides leaving out symbols. */
  readonly linkerFlags: (versions: ControlPlaneVersions) => readonly string[];
}

/** Every module, the quick ones first: a mistake in the setup should not show after four minutes only. */
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
      // Without these the API server calls itself v0.0.0, and clients that compare versions misbehave.
      return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((versionPackage) => [
        `-X ${versionPackage}.gitVersion=${kubernetes}`,
        `-X ${versionPackage}.gitMajor=${major}`,
        `-X ${versionPackage}.gitMinor=${minor}`,
      ]);
    },
  },
];
