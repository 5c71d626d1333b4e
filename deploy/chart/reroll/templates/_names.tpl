{{- define "reroll.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/* A release named `reroll` is not called `reroll-reroll`. */}}
{{- define "reroll.fullname" -}}
{{- $name := include "reroll.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "reroll.namespace" -}}
{{- .Values.namespace | default .Release.Namespace -}}
{{- end }}

{{/* The name of an object outside of the release's namespace includes that namespace, unless both names are the same. Called with a dict of `root` and `name`. */}}
{{- define "reroll.clusterName" -}}
{{- $namespace := include "reroll.namespace" .root -}}
{{- if eq $namespace (include "reroll.fullname" .root) -}}{{ .name }}{{- else -}}{{ printf "%s-%s" $namespace .name }}{{- end -}}
{{- end }}

{{- define "reroll.registrationName" -}}
{{- include "reroll.clusterName" (dict "root" . "name" (include "reroll.fullname" .)) -}}
{{- end }}

{{- define "reroll.webhookName" -}}{{ include "reroll.fullname" . }}-webhook{{- end }}
{{- define "reroll.channelName" -}}{{ include "reroll.fullname" . }}-channel{{- end }}
{{- define "reroll.metricsName" -}}{{ include "reroll.fullname" . }}-metrics{{- end }}
{{- define "reroll.certsName" -}}{{ include "reroll.fullname" . }}-certs{{- end }}

{{/* Labels of all pods of the release. */}}
{{- define "reroll.releaseLabels" -}}
app.kubernetes.io/name: {{ include "reroll.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* Labels of the pod of helm test. Its name differs from that of the other pods, so that no Service selects it. */}}
{{- define "reroll.testLabels" -}}
app.kubernetes.io/name: {{ include "reroll.name" . | trunc 58 | trimSuffix "-" | printf "%s-test" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: test
{{- end }}

{{/* Called with a dict of `root` and `component`, optionally `match` with more labels. */}}
{{- define "reroll.selectorLabels" -}}
{{ include "reroll.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- with .match }}
{{ tpl (toYaml .) $.root }}
{{- end }}
{{- end }}

{{/* Metadata of a Service. Called with a dict of `root`, `name` and `component`, optionally `more` with labels. */}}
{{- define "reroll.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .namespace | default (include "reroll.namespace" .root) | quote }}
labels: {{- include "reroll.labels" . | nindent 2 }}
{{- end }}

{{/* No label is there twice: kustomize, with which Flux renders, refuses that. `more` wins over commonLabels, and both over the chart's; refused.yaml lets neither change what selects pods. */}}
{{- define "reroll.labels" -}}
{{- $selector := include "reroll.selectorLabels" . -}}
{{- $own := .more | default dict -}}
{{- $more := merge (dict) $own (include "reroll.labelsBesides" (dict "labels" .root.Values.commonLabels "selector" $selector) | fromYaml) -}}
{{- empty $own | ternary $selector (include "reroll.labelsBesides" (dict "labels" (fromYaml $selector) "selector" (toYaml $own))) }}
{{- if not (hasKey $more "app.kubernetes.io/version") }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- end }}
{{- if not (hasKey $more "app.kubernetes.io/managed-by") }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}
{{- if not (hasKey $more "helm.sh/chart") }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}
{{- with $more }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels from the values, with templates in them. Called with a dict of `root` and `labels`. */}}
{{- define "reroll.more" -}}
{{- with .labels }}{{ tpl (toYaml .) $.root }}{{ end -}}
{{- end }}

{{/* Labels without others. Called with a dict of `labels` and `selector`, which is YAML of the others. */}}
{{- define "reroll.labelsBesides" -}}
{{- $labels := .labels | default dict -}}
{{- range $key, $_ := fromYaml .selector }}{{ $labels = omit $labels $key }}{{ end -}}
{{- with $labels }}{{ toYaml . }}{{ end -}}
{{- end }}

{{- define "reroll.image" -}}
{{- $image := .Values.image -}}
{{- $tag := $image.tag | default .Chart.AppVersion -}}
{{- if .Values.global.imageRegistry -}}
{{- printf "%s/%s:%s" .Values.global.imageRegistry $image.name $tag -}}
{{- else if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository $tag -}}
{{- end -}}
{{- end }}

{{/* How many pods a healthy release has. */}}
{{- define "reroll.expectedPods" -}}
{{- $webhook := .Values.webhook -}}
{{- add (int .Values.reloader.deployment.replicas) ($webhook.enabled | ternary (add1 (int $webhook.replicas)) 0) -}}
{{- end }}

{{/* Names as Reloader's chart accepts them: strings, or maps with a name. */}}
{{- define "reroll.pullSecrets" -}}
{{- range .Values.global.imagePullSecrets }}
- name: {{ if kindIs "map" . }}{{ .name | quote }}{{ else }}{{ . | quote }}{{ end }}
{{- end }}
{{- end }}

{{/* The watched namespaces, separated by commas; empty for all. */}}
{{- define "reroll.namespaces" -}}
{{- $reloader := .Values.reloader -}}
{{- $given := $reloader.namespaces -}}
{{- $list := list -}}
{{- range (kindIs "string" $given | ternary (splitList "," ($given | toString)) $given) }}{{- with trim . }}{{ $list = append $list . }}{{ end }}{{- end -}}
{{- if and $reloader.watchGlobally $list -}}
{{- fail "reloader.watchGlobally watches all namespaces, reloader.namespaces only some: set reloader.watchGlobally=false, or leave reloader.namespaces empty" -}}
{{- end -}}
{{- if not $reloader.watchGlobally -}}
{{- append $list (include "reroll.namespace" .) | uniq | sortAlpha | join "," -}}
{{- end -}}
{{- end }}

{{/* Labels of the reconciler. Values from Reloader's chart may include the labels of Reloader's release by default; those are dropped. */}}
{{- define "reroll.deploymentLabels" -}}
{{- $labels := .Values.reloader.deployment.labels | default dict -}}
{{- if eq (dig "provider" "" $labels) "stakater" -}}{{- $labels = omit $labels "provider" "group" "version" -}}{{- end -}}
{{- with $labels }}{{ tpl (toYaml .) $ }}{{ end -}}
{{- end }}
