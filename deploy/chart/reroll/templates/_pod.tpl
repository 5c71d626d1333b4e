{{/* Common pod settings, with no more access than needed. Called with a dict of `root`, `account`, `component`, `values`. */}}
{{- define "reroll.podDefaults" -}}
{{- $v := .values -}}
serviceAccountName: {{ .account | quote }}
automountServiceAccountToken: {{ dig "automountServiceAccountToken" true $v }}
enableServiceLinks: false
terminationGracePeriodSeconds: 45
{{- if kindIs "bool" $v.hostUsers }}
hostUsers: {{ $v.hostUsers }}
{{- end }}
{{- with include "reroll.pullSecrets" .root }}
imagePullSecrets: {{- . | nindent 2 }}
{{- end }}
{{- range $key := list "priorityClassName" "runtimeClassName" "schedulerName" }}
{{- with index $v $key }}
{{ $key }}: {{ . | quote }}
{{- end }}
{{- end }}
nodeSelector: {{- include "reroll.nodeSelector" $v | nindent 2 }}
{{- range $key := list "securityContext" "affinity" "tolerations" "dnsConfig" }}
{{- with index $v $key }}
{{ $key }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
topologySpreadConstraints:
{{- with $v.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels: {{- include "reroll.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "reroll.nodeSelector" -}}
{{- mergeOverwrite (dict "kubernetes.io/os" "linux") (.nodeSelector | default dict) | toYaml -}}
{{- end }}

{{/* There is no preStop: the processes drain by themselves on SIGTERM. Called with a dict of `root`, `resources`, and `ports` by name; optionally `security`, `liveness`, `readiness`. */}}
{{- define "reroll.containerDefaults" -}}
image: {{ include "reroll.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- $security := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" .root.Values.reloader.readOnlyRootFileSystem "capabilities" (dict "drop" (list "ALL")) }}
securityContext: {{- toYaml (mergeOverwrite $security (.security | default dict)) | nindent 2 }}
{{- with .resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - { name: http, containerPort: 9090 }
{{- range $name, $port := .ports }}
  - { name: {{ $name }}, containerPort: {{ $port }} }
{{- end }}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 1
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /readyz, port: http }
  {{- toYaml (mergeOverwrite (dict "periodSeconds" 5) (.readiness | default dict)) | nindent 2 }}
livenessProbe:
  httpGet: { path: /healthz, port: http }
  {{- toYaml (mergeOverwrite (dict "periodSeconds" 10 "failureThreshold" 6) (.liveness | default dict)) | nindent 2 }}
{{- end }}

{{- define "reroll.logArgs" -}}
{{- with .Values.reloader.logFormat }}
- --log-format={{ . }}
{{- end }}
{{- with .Values.reloader.logLevel }}
- --log-level={{ . }}
{{- end }}
{{- end }}

{{- define "reroll.tracingArgs" -}}
{{- with .Values.tracing.endpoint }}
- {{ printf "--otlp-endpoint=%s" . | quote }}
{{- end }}
{{- if .Values.tracing.caConfigMap }}
- --otlp-certificate=/etc/reroll/otlp-ca/ca.crt
{{- end }}
{{- end }}

{{/* The CA of the endpoint. */}}
{{- define "reroll.tracingMount" -}}
{{- if .Values.tracing.caConfigMap }}
- { name: otlp-ca, mountPath: /etc/reroll/otlp-ca, readOnly: true }
{{- end -}}
{{- end }}

{{- define "reroll.tracingVolume" -}}
{{- with .Values.tracing.caConfigMap }}
- name: otlp-ca
  configMap: { name: {{ . | quote }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end -}}
{{- end }}

{{- define "reroll.tracingEnv" -}}
{{- with .Values.tracing.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ . | quote }}, key: headers } }
{{- end }}
{{- end }}

{{/* The port of the endpoint, for network policies. */}}
{{- define "reroll.urlPort" -}}
{{- $url := trim . | urlParse -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary "443" "80") -}}
{{- end }}

{{/* Without this, V8 sizes its heap for the whole node. Called with resources. */}}
{{- define "reroll.memoryEnv" -}}
{{- if dig "limits" "memory" "" (. | default dict) -}}
- { name: NODE_OPTIONS, value: '--max-semi-space-size=2 --max-old-space-size-percentage=75' }
{{- end -}}
{{- end }}
