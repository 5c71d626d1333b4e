{{- define "reroll.reconcilerAccount" -}}
{{- $account := .Values.reloader.serviceAccount -}}
{{- if $account.create -}}{{ $account.name | default (include "reroll.fullname" .) }}{{- else -}}{{ $account.name | default "default" }}{{- end -}}
{{- end }}

{{/* The flag for each value, by the name of the value. An empty or false value has no flag. */}}
{{- define "reroll.reconcilerArgs" -}}
{{- $r := .Values.reloader -}}
- reconciler
- --own-namespace={{ include "reroll.namespace" . }}
{{- range $value, $flag := dict "autoReloadAll" "auto-reload-all" "reloadOnCreate" "reload-on-create" "reloadOnDelete" "reload-on-delete" "enableHA" "enable-ha" "enableCSIIntegration" "enable-csi-integration" "healthyUrls" "healthy-urls" "rollback" "rollback" "dryRun" "dry-run" "syncAfterRestart" "sync-after-restart" "enablePProf" "enable-pprof" }}
{{- if index $r $value }}
- --{{ $flag }}=true
{{- end }}
{{- end }}
{{- range $value, $flag := dict "logFormat" "log-format" "logLevel" "log-level" "resourceLabelSelector" "resource-label-selector" "settle" "settle" "settleMax" "settle-max" "restart" "restart" "restartWindows" "restart-windows" "minInterval" "min-interval" "nodePoolLabel" "node-pool-label" "restartRate" "restart-rate" "healthyFor" "healthy-for" "stageDeadline" "stage-deadline" "prometheusUrl" "prometheus-url" "webhookUrl" "webhook-url" "pprofAddr" "pprof-addr" }}
{{- with index $r $value }}
- {{ printf "--%s=%s" $flag . | quote }}
{{- end }}
{{- end }}
{{- /* 0 is a value: no limit, or never. */ -}}
{{- range $value, $flag := dict "maxRolling" "max-rolling" "maxRollingPerNamespace" "max-rolling-per-namespace" "maxRollingPerNodePool" "max-rolling-per-node-pool" "stagesFrom" "stages-from" }}
{{- if not (has (index $r $value) (list "" nil)) }}
- {{ printf "--%s=%s" $flag (index $r $value | toString) | quote }}
{{- end }}
{{- end }}
{{- if not $r.isArgoRollouts }}
- --is-Argo-Rollouts=false
{{- end }}
{{- if not $r.foldRollouts }}
- --fold-rollouts=false
{{- end }}
{{- if not $r.history }}
- --history=false
{{- end }}
{{- if ne ($r.reloadStrategy | default "default") "default" }}
- --reload-strategy={{ $r.reloadStrategy }}
{{- end }}
{{- if $r.ignoreSecrets }}
- --resources-to-ignore=secrets
{{- else if $r.ignoreConfigMaps }}
- --resources-to-ignore=configmaps
{{- end }}
{{- $ignored := list }}
{{- if $r.ignoreJobs }}{{ $ignored = append $ignored "jobs" }}{{ end }}
{{- if $r.ignoreCronJobs }}{{ $ignored = append $ignored "cronjobs" }}{{ end }}
{{- with $ignored }}
- --ignored-workload-types={{ join "," . }}
{{- end }}
{{- with include "reroll.namespaces" . }}
- --namespaces={{ . }}
{{- end }}
{{- if $r.watchGlobally }}
{{- with $r.ignoreNamespaces }}
- {{ printf "--namespaces-to-ignore=%s" . | quote }}
{{- end }}
{{- with $r.namespaceSelector }}
- {{ printf "--namespace-selector=%s" . | quote }}
{{- end }}
{{- end }}
{{- $names := dict "configmap" "configmap-annotation" "secret" "secret-annotation" "auto" "auto-annotation" "configmap_auto" "configmap-auto-annotation" "secret_auto" "secret-auto-annotation" "search" "auto-search-annotation" "match" "search-match-annotation" "ignore" "ignore-annotation" "pausePeriod" "pause-deployment-annotation" "pauseTime" "pause-deployment-time-annotation" }}
{{- range $name, $key := $r.custom_annotations }}
{{- if not (hasKey $names $name) }}{{ fail (printf "reloader.custom_annotations.%s is unknown; known are %s" $name (keys $names | sortAlpha | join ", ")) }}{{ end }}
{{- with $key | default "" | trim }}
- {{ printf "--%s=%s" (index $names $name) . | quote }}
{{- end }}
{{- end }}
{{- if .Values.webhook.enabled }}
- --channel-listen=:8444
{{- if include "reroll.tlsFromSecrets" . }}
- --channel-tls-dir=/etc/reroll/channel
{{- end }}
{{- end }}
{{- include "reroll.tracingArgs" . }}
{{- range $r.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{/* No variable is there twice: an upgrade may drop the last one of a name, which a pod takes, and server-side apply refuses both. */}}
{{- define "reroll.reconcilerEnv" -}}
{{- $own := list (dict "name" "POD_NAME" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.name"))) -}}
{{- $all := printf "%s%s" (include "reroll.memoryEnv" .Values.reloader.deployment.resources) (include "reroll.userEnv" .) | fromYamlArray | concat $own -}}
{{- $last := dict -}}
{{- range $index, $variable := $all }}{{ $_ := set $last $variable.name $index }}{{ end -}}
{{- $kept := list -}}
{{- range $index, $variable := $all }}{{ if eq $index (index $last $variable.name) }}{{ $kept = append $kept $variable }}{{ end }}{{ end -}}
{{- toYaml $kept -}}
{{- end }}

{{- define "reroll.userEnv" -}}
{{- $env := .Values.reloader.deployment.env -}}
{{- include "reroll.tracingEnv" . }}
{{- if .Values.reloader.enableMetricsByNamespace }}
- { name: METRICS_COUNT_BY_NAMESPACE, value: enabled }
{{- end }}
{{- if .Values.reloader.metaInfo }}
- name: RELOADER_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- { name: RELOADER_DEPLOYMENT_NAME, value: {{ include "reroll.fullname" . | quote }} }
{{- end }}
{{- range $name, $value := $env.open }}{{- if $value }}
- { name: {{ $name | quote }}, value: {{ $value | quote }} }
{{- end }}{{- end }}
{{- range $name, $value := $env.secret }}{{- if $value }}
- name: {{ $name | quote }}
  valueFrom: { secretKeyRef: { name: {{ include "reroll.fullname" $ | quote }}, key: {{ $name | quote }} } }
{{- end }}{{- end }}
{{- range $secret, $keys := $env.existing }}
{{- range $name, $key := $keys }}
- name: {{ $name | quote }}
  valueFrom: { secretKeyRef: { name: {{ $secret | quote }}, key: {{ $key | quote }} } }
{{- end }}
{{- end }}
{{- range $name, $path := $env.field }}
- name: {{ $name | quote }}
  valueFrom: { fieldRef: { fieldPath: {{ $path | quote }} } }
{{- end }}
{{- end }}
