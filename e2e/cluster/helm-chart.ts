import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The order of the two objects in the template. As a hook, the ConfigMap is written after all other objects. */
export type ChartForm = 'source-first' | 'workload-first' | 'source-in-hook';

/** The number of pods of each release. */
export const replicas = 2;

const hookAnnotations = `
  annotations:
    helm.sh/hook: post-install,post-upgrade,post-rollback`;

const source = (annotations: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}${annotations}
data:
  content: {{ .Values.content | quote }}
`;

// All ReplicaSets are kept so that they can be counted.
const workload = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  annotations:
    reloader.stakater.com/auto: 'true'
spec:
  replicas: ${String(replicas)}
  revisionHistoryLimit: 100
  selector:
    matchLabels:
      app: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}
    spec:
      containers:
        - name: app
          image: registry.example/app:{{ .Values.image }}
          envFrom:
            - configMapRef:
                name: {{ .Release.Name }}
`;

/** Writes a chart with a ConfigMap and a Deployment that uses it, and returns its folder. */
export function writeChart(dir: string, form: ChartForm): string {
  const chart = path.join(dir, form);
  const objects = [source(form === 'source-in-hook' ? hookAnnotations : ''), workload];
  mkdirSync(path.join(chart, 'templates'), { recursive: true });
  writeFileSync(path.join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${form}\nversion: 1.0.0\n`);
  writeFileSync(
    path.join(chart, 'templates', 'app.yaml'),
    (form === 'workload-first' ? objects.toReversed() : objects).join('---\n'),
  );
  return chart;
}
