/** What the help of `lint` says about its input, at 80 columns. */
export const manifestsHelp = `Manifests:
  -f, --filename              Manifests in YAML or JSON: a file, a directory
                              with all below it, or - for standard input.
                              Accepts a list of paths.
  -n, --namespace             Namespace of the objects that name none. Accepts a
                              namespace. (default default)`;

/** What it says about the install, and about variables. */
export const installHelp = `As the install has it: what restarts:
  --auto-reload-all           Restart every workload that does not opt out.
                              (default false)
  --enable-csi-integration    Also restart when a CSI driver rotates the secrets
                              of a volume. (default false)
  --is-Argo-Rollouts          Restart Argo Rollouts, where their API is served.
                              (default true)
  --ignored-workload-types    Kinds of workload that are never restarted.
                              Accepts a list of jobs, cronjobs.

As the install has it: which namespaces and sources:
  --namespaces                Watch only these namespaces; none for the whole
                              cluster. Accepts a list of namespaces.
  --namespaces-to-ignore      Ignore these namespaces when the whole cluster is
                              watched. Accepts a list of namespaces.
  --resources-to-ignore       The kind of source that is not watched. Accepts
                              configmaps or secrets.

As the install has it: annotation keys (each an annotation key such as
example.com/reload, different from all others):
  --auto-annotation           Annotation key that switches restarts on for all
                              sources a workload uses. (default
                              reloader.stakater.com/auto)
  --configmap-auto-annotation
                              Annotation key that switches restarts on for
                              ConfigMaps only. (default
                              configmap.reloader.stakater.com/auto)
  --secret-auto-annotation    Annotation key that switches restarts on for
                              Secrets only. (default
                              secret.reloader.stakater.com/auto)
  --configmap-annotation      Annotation key with a list of ConfigMaps. (default
                              configmap.reloader.stakater.com/reload)
  --secret-annotation         Annotation key with a list of Secrets. (default
                              secret.reloader.stakater.com/reload)
  --auto-search-annotation    Annotation key with which a workload searches for
                              matching sources. (default
                              reloader.stakater.com/search)
  --search-match-annotation   Annotation key with which a source matches a
                              search. (default reloader.stakater.com/match)
  --ignore-annotation         Annotation key for a source whose changes are
                              ignored. (default reloader.stakater.com/ignore)
  --pause-deployment-annotation
                              Annotation key with the time for which a
                              Deployment is paused after a change. (default
                              deployment.reloader.stakater.com/pause-period)
  --pause-deployment-time-annotation
                              Annotation key with the time at which Reroll
                              paused a Deployment. (default
                              deployment.reloader.stakater.com/paused-at)

Each flag may also be set as REROLL_<FLAG> in the environment, such as
REROLL_LOG_LEVEL for --log-level. A flag wins.
`;
