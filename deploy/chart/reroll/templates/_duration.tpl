{{/* Milliseconds of a Go duration in the form that the schema allows. */}}
{{- define "reroll.ms" -}}
{{- $ms := dict "h" 3600000.0 "m" 60000.0 "s" 1000.0 "ms" 1.0 "us" 0.001 "µs" 0.001 "ns" 0.000001 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+[a-zµ]+" . -1 -}}
{{- $sum = addf $sum (mulf (regexFind "[0-9.]+" . | float64) (index $ms (regexFind "[a-zµ]+" .))) -}}
{{- end -}}
{{- $sum -}}
{{- end }}
