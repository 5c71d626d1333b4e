import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { isObject } from '../../shared/domain/kubernetes/json-value';
import { Rendered } from './rendered';
import { renderChart, renderText, type Values } from './rendered-chart';

const file = path.join(__dirname, 'reloader-values.yaml');
const all = parse(readFileSync(file, 'utf8')) as Values;

/** Keys without effect in Reloader's chart, with a value that is rejected: only its defaults are accepted. */
const withoutEffect: Readonly<Record<string, unknown>> = {
  'kubernetes.host': 'https://elsewhere.example',
  'reloader.legacy.rbac': true,
};

/** Keys for the Go runtime: rejected by name, with a message that names the replacement. */
const refused: Readonly<Record<string, string>> = {
  'reloader.deployment.gomaxprocsOverride': '2',
  'reloader.deployment.gomemlimitOverride': '512MiB',
};

/** Another value for keys that have their default in the file because other keys need it. */
const otherwise: Readonly<Record<string, unknown>> = {
  'global.imageRegistry': 'mirror.example',
  'reloader.ignoreConfigMaps': true,
  'reloader.watchGlobally': false,
  'reloader.namespaces': ['shop'],
  'reloader.rbac.enabled': false,
  'reloader.serviceAccount.create': false,
  'reloader.podMonitor.enabled': true,
  // The labels in the file describe Reloader's release, and the chart drops them.
  'reloader.deployment.labels': { team: 'platform' },
};

/** Keys that have an effect only together with others. */
const together: Readonly<Record<string, Values>> = {
  'image.name': { global: { imageRegistry: 'mirror.example' } },
  'reloader.namespaces': { reloader: { watchGlobally: false } },
  ...underSwitch('serviceMonitor', 'namespace labels annotations interval timeout scheme tlsConfig bearerTokenFile honorLabels metricRelabelings relabelings targetLabels'), // prettier-ignore
  ...underSwitch('podMonitor', 'namespace labels annotations interval timeout scheme tlsConfig bearerTokenSecret honorLabels metricRelabelings relabelings podTargetLabels'), // prettier-ignore
  ...underSwitch('podDisruptionBudget', 'maxUnavailable'),
  'reloader.podDisruptionBudget.minAvailable': {
    reloader: { podDisruptionBudget: { enabled: true }, deployment: { replicas: 2 } },
  },
  ...underSwitch('netpol', 'from to'),
  ...underSwitch('verticalPodAutoscaler', 'recommenders controlledResources controlledValues maxAllowed minAllowed updatePolicy.updateMode updatePolicy.minReplicas'), // prettier-ignore
};

function underSwitch(name: string, keys: string): Readonly<Record<string, Values>> {
  const on = { reloader: { [name]: { enabled: true } } };
  return Object.fromEntries(keys.split(' ').map((key) => [`reloader.${name}.${key}`, on]));
}

/** Maps that count as one value. */
const whole = /\.(labels|annotations|tlsConfig|bearerTokenSecret|maxAllowed|minAllowed|resources|affinity|nodeSelector|dnsConfig|securityContext|containerSecurityContext|livenessProbe|readinessProbe|open|secret|existing|field|service|matchLabels|custom_annotations)$/; // prettier-ignore

function keysOf(value: unknown, at = ''): readonly (readonly [string, unknown])[] {
  if (!isObject(value) || whole.test(at)) return [[at, value]];
  return Object.entries(value).flatMap(([name, inner]) => keysOf(inner, at === '' ? name : `${at}.${name}`));
}

function merged(one: Values, other: Values): Values {
  const result: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = result[name];
    result[name] = isObject(known) && isObject(value) ? merged(known, value) : value;
  }
  return result;
}

function valuesWith(key: string, value: unknown): Values {
  return key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Values;
}

describe("values of Reloader's chart", () => {
  it('are all in this file', () => {
    // Section 18.3 of Reloader's behaviour lists them; a star there stands for several keys.
    const keys = keysOf(all).map(([key]) => key);
    expect(keys.length).toBeGreaterThanOrEqual(95);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('render together', async () => {
    const rendered = new Rendered(await renderChart(all));
    expect(rendered.names('Deployment')).toContain('reloads');
    expect(rendered.names('ServiceMonitor', 'NetworkPolicy', 'VerticalPodAutoscaler')).toHaveLength(6);
  });

  it.each(keysOf(all))('%s is honoured: with it, something else is rendered', async (key, value) => {
    const others = together[key] ?? {};
    if (key in withoutEffect) {
      await expect(renderText(valuesWith(key, withoutEffect[key]))).rejects.toThrow(`${key} has no effect`);
      return;
    }
    expect(await renderText(merged(others, valuesWith(key, otherwise[key] ?? value)))).not.toBe(
      await renderText(others),
    );
  });

  it.each(Object.entries(refused))('%s is refused by name, with what stands for it', async (key, value) => {
    await expect(renderText(valuesWith(key, value))).rejects.toThrow(
      new RegExp(`${key} is for the Go runtime.*Set reloader`),
    );
  });
});
