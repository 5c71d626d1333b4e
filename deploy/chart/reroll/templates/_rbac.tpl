{{/* Called with a dict of `root`, `component`, `account`, and its values. */}}
{{- define "reroll.account" -}}
{{- $values := .values | default dict }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "reroll.metadata" (merge (dict "name" .account "more" (include "reroll.more" (dict "root" .root "labels" $values.labels) | fromYaml)) .) | nindent 2 }}
  {{- with $values.annotations }}
  annotations: {{- tpl (toYaml .) $.root | nindent 4 }}
  {{- end }}
automountServiceAccountToken: {{ dig "automountServiceAccountToken" false $values }}
{{- with include "reroll.pullSecrets" .root }}
imagePullSecrets: {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A role and its binding. Called with a dict of `root`, `name`, `within` (a namespace; empty for the whole cluster), `component`, `account`, `rules`. */}}
{{- define "reroll.grant" -}}
{{- $kind := empty .within | ternary "ClusterRole" "Role" }}
{{- $namespace := include "reroll.namespace" .root }}
{{- $name := eq .within $namespace | ternary .name (include "reroll.clusterName" .) }}
{{- $more := include "reroll.more" (dict "root" .root "labels" .root.Values.reloader.rbac.labels) | fromYaml }}
{{- range $object := list $kind (printf "%sBinding" $kind) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $object }}
metadata:
  name: {{ $name | quote }}
  {{- with $.within }}
  namespace: {{ . | quote }}
  {{- end }}
  labels: {{- include "reroll.labels" (merge (dict "more" $more) $) | nindent 4 }}
{{- if eq $object $kind }}
rules:
  {{- $.rules | nindent 2 }}
{{- else }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name | quote }}
subjects:
  - { kind: ServiceAccount, name: {{ $.account | quote }}, namespace: {{ $namespace | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Rules for what is watched and restarted, depending on the values. */}}
{{- define "reroll.watchRules" -}}
{{- $r := .Values.reloader -}}
{{- $sources := list -}}
{{- if not $r.ignoreConfigMaps }}{{ $sources = append $sources "configmaps" }}{{ end -}}
{{- if not $r.ignoreSecrets }}{{ $sources = append $sources "secrets" }}{{ end -}}
- { apiGroups: [''], resources: [{{ join ", " $sources }}], verbs: [get, list, watch] }
{{- if and $r.rollback (not $r.dryRun) }}
- { apiGroups: [''], resources: [{{ join ", " $sources }}], verbs: [create, patch, delete] }
{{- end }}
- { apiGroups: [apps], resources: [deployments, statefulsets, daemonsets], verbs: [get, list, watch, patch] }
{{- if not $r.ignoreCronJobs }}
- { apiGroups: [batch], resources: [cronjobs], verbs: [get, list, watch, patch] }
{{- end }}
{{- if not $r.ignoreJobs }}
- { apiGroups: [batch], resources: [jobs], verbs: [get, list, watch, patch, create, delete] }
{{- else if not $r.ignoreCronJobs }}
- { apiGroups: [batch], resources: [jobs], verbs: [create] }
{{- end }}
{{- if $r.isArgoRollouts }}
- { apiGroups: [argoproj.io], resources: [rollouts], verbs: [get, list, watch, patch] }
{{- end }}
{{- if $r.isOpenshift }}
- { apiGroups: [apps.openshift.io], resources: [deploymentconfigs], verbs: [get, list, watch, patch] }
{{- end }}
{{- if $r.enableCSIIntegration }}
- { apiGroups: [secrets-store.csi.x-k8s.io], resources: [secretproviderclasses, secretproviderclasspodstatuses], verbs: [list, watch] }
{{- end }}
{{- if $r.healthyUrls }}
- { apiGroups: [''], resources: [services], verbs: [get] }
{{- end }}
- { apiGroups: [''], resources: [events], verbs: [create] }
{{- if $r.watchGlobally }}
- { apiGroups: [''], resources: [namespaces], verbs: [list, watch] }
{{- end }}
{{- end }}

{{/* Rules for the Lease, the digest key, the journal of Jobs that are being recreated, the hold of everything, and the history of restarts. */}}
{{- define "reroll.ownRules" -}}
{{- $r := .Values.reloader -}}
{{- $kept := and $r.history (not $r.dryRun) -}}
{{- if $r.metaInfo }}
- { apiGroups: [''], resources: [configmaps], resourceNames: [reloader-meta-info], verbs: [get, update] }
{{- end }}
{{- if $kept }}
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [{{ range $index := until 8 }}{{ if $index }}, {{ end }}reroll-history-{{ $index }}{{ end }}]
  verbs: [get, update]
{{- end }}
{{- if or $r.metaInfo $kept }}
- { apiGroups: [''], resources: [configmaps], verbs: [create] }
{{- end }}
- { apiGroups: [''], resources: [configmaps], resourceNames: [reroll-hold], verbs: [list, watch] }
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update] }
- { apiGroups: [''], resources: [secrets], verbs: [get, list, watch, create, update, delete] }
{{- end }}

{{- define "reroll.webhookRules" -}}
- { apiGroups: [''], resources: [secrets], resourceNames: [reroll-digest-key], verbs: [get] }
- { apiGroups: [''], resources: [secrets], resourceNames: [{{ if eq .Values.certificates.mode "selfManaged" }}reroll-certs, {{ end }}reroll-webhook-token], verbs: [list, watch] }
- { apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch] }
{{- end }}

{{- define "reroll.certsRules" -}}
- { apiGroups: [''], resources: [secrets], resourceNames: [{{ include "reroll.keptSecrets" . }}], verbs: [get, update] }
{{- end }}

{{/* `reroll certs` sets only caBundle and path in these. */}}
{{- define "reroll.injectRules" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations]
  resourceNames: [{{ include "reroll.registrationName" . | quote }}]
  verbs: [get, patch]
{{- end }}
