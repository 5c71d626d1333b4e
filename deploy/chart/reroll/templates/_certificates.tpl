{{/* The Secrets that `reroll certs` fills, separated by commas. */}}
{{- define "reroll.keptSecrets" -}}
{{- if eq .Values.certificates.mode "selfManaged" }}reroll-ca, reroll-certs, {{ end }}reroll-webhook-token
{{- end }}

{{/* `true` if certificates are mounted instead of read through the API. */}}
{{- define "reroll.tlsFromSecrets" -}}
{{- if and .Values.webhook.enabled (ne .Values.certificates.mode "selfManaged") }}true{{ end -}}
{{- end }}

{{/* Called with a dict of `root` and `use`: webhook, channel or client. */}}
{{- define "reroll.tlsSecret" -}}
{{- $existing := index .root.Values.certificates.existingSecrets .use -}}
{{- if eq .root.Values.certificates.mode "certManager" -}}
{{ include "reroll.fullname" .root }}-{{ .use }}-tls
{{- else -}}
{{- required (printf "certificates.existingSecrets.%s names the Secret of that certificate" .use) $existing -}}
{{- end -}}
{{- end }}

{{/* Called with a dict of `root` and `uses`. */}}
{{- define "reroll.tlsMounts" -}}
{{- if include "reroll.tlsFromSecrets" .root -}}
{{- range .uses }}
- { name: {{ . }}-tls, mountPath: /etc/reroll/{{ . }}, readOnly: true }
{{- end }}
{{- end -}}
{{- end }}

{{/* Called with a dict of `root` and `uses`. */}}
{{- define "reroll.tlsVolumes" -}}
{{- if include "reroll.tlsFromSecrets" .root -}}
{{- range .uses }}
- name: {{ . }}-tls
  secret: { secretName: {{ include "reroll.tlsSecret" (dict "root" $.root "use" .) | quote }} }
{{- end }}
{{- end -}}
{{- end }}

{{/* The CA of the API servers' client certificates, if the webhook requires them. */}}
{{- define "reroll.clientCAMount" -}}
{{- if .Values.webhook.clientCASecret }}
- { name: client-ca, mountPath: /etc/reroll/client-ca, readOnly: true }
{{- end -}}
{{- end }}

{{- define "reroll.clientCAVolume" -}}
{{- with .Values.webhook.clientCASecret }}
- name: client-ca
  secret: { secretName: {{ . | quote }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end -}}
{{- end }}
