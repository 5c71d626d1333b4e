/** What tests change of stored objects, of whichever kind. */
export interface Stored {
  readonly kind: string;
  readonly metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    uid?: string;
    resourceVersion?: string;
  };
  spec?: StoredSpec;
  status?: object;
  rules?: StoredRule[];
  subjects?: object[];
  roleRef?: object;
  webhooks?: StoredWebhook[];
  endpoints?: object[];
}

/** Of a Deployment, of a Pod and of a Lease. */
export interface StoredSpec {
  replicas?: number;
  containers?: { args: string[] }[];
  template?: { spec: { containers: { args: string[]; image: string }[] } };
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  renewTime?: string;
}

export interface StoredRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

export interface StoredWebhook {
  name: string;
  clientConfig: { caBundle?: string; service: { namespace: string; path?: string } };
  failurePolicy: string;
  timeoutSeconds: number;
  rules: StoredRule[];
  namespaceSelector: { matchLabels?: Record<string, string> };
  objectSelector?: object;
  matchConditions: { name: string; expression: string }[];
}
