/** The relevant parts of a `metav1.Status`, which describes a failure. */
export interface KubeStatus {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** The object that the failure is about. */
  readonly name: string | undefined;
  /** Its resource, such as `namespaces`. */
  readonly resource: string | undefined;
  /** Machine-readable causes, such as `NamespaceTerminating`. */
  readonly causes: readonly string[];
  readonly retryAfterMs: number | undefined;
}
