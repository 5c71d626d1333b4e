import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { projectDir } from '../control-plane/versions';
import { Rendered } from './rendered';
import { renderChart, renderText, type Values } from './rendered-chart';

const moduleDir = path.join(projectDir, 'deploy', 'deckhouse');
const namespace = 'd8-pod-reloader';
/** Deckhouse installs every module as a release in Deckhouse's own namespace. */
const options = { release: 'pod-reloader', namespace: 'd8-system', chart: moduleDir };

const render = async (podReloader: Values): Promise<Rendered> =>
  new Rendered(await renderChart({ podReloader }, options));

const name = 'pod-reloader';

/** Settings of the module, and checks of what they render. */
const settings: readonly (readonly [Values, (rendered: Rendered) => void])[] = [
  [{ reloadOnCreate: true }, (to) => expect(to.args(name)).toContain('--reload-on-create=true')],
  [{ reloadOnDelete: true }, (to) => expect(to.args(name)).toContain('--reload-on-delete=true')],
  [{ autoReloadAll: true }, (to) => expect(to.args(name)).toContain('--auto-reload-all=true')],
  [{ reloadStrategy: 'annotations' }, (to) => expect(to.args(name)).toContain('--reload-strategy=annotations')],
  [{ resourceLabelSelector: 'a=b' }, (to) => expect(to.args(name)).toContain('--resource-label-selector=a=b')],
  [{ namespaceSelector: 'env=prod' }, (to) => expect(to.args(name)).toContain('--namespace-selector=env=prod')],
  [{ namespacesToIgnore: ['a', 'b'] }, (to) => expect(to.args(name)).toContain('--namespaces-to-ignore=a,b')],
  [{ logFormat: 'text' }, (to) => expect(to.args('pod-reloader-webhook')).toContain('--log-format=text')],
  [{ logLevel: 'debug' }, (to) => expect(to.args(name)).toContain('--log-level=debug')],
  [
    { resources: { limits: { memory: '1Gi' } } },
    (to) => expect(to.container(name)['resources']).toMatchObject({ limits: { memory: '1Gi' } }),
  ],
  [
    { nodeSelector: { role: 'system' } },
    (to) =>
      expect(to.names('Deployment').map((deployment) => to.pod(deployment)['nodeSelector'])).toEqual(
        Array(3).fill({ 'kubernetes.io/os': 'linux', role: 'system' }),
      ),
  ],
  [
    { tolerations: [{ operator: 'Exists' }] },
    (to) => expect(to.pod(name)['tolerations']).toEqual([{ operator: 'Exists' }]),
  ],
  [
    { alerting: { enabled: true, webhook: { url: 'https://x.example', sink: 'slack', additionalInfo: 'prod' } } },
    (to) => {
      expect(to.env(name)).toMatchObject({
        ...{ ALERT_ON_RELOAD: 'true', ALERT_SINK: 'slack', ALERT_ADDITIONAL_INFO: 'prod' },
        ALERT_WEBHOOK_URL: { secretKeyRef: { name, key: 'ALERT_WEBHOOK_URL' } },
      });
      expect(to.one('Secret', name)['stringData']).toEqual({ ALERT_WEBHOOK_URL: 'https://x.example' });
    },
  ],
];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
}

const schema = parse(readFileSync(path.join(moduleDir, 'openapi/config-values.yaml'), 'utf8')) as Schema;

describe('the module of Deckhouse', () => {
  it('has these settings, and tells of each', () => {
    const { properties = {} } = schema;
    const keys = Object.keys(properties);
    expect(keys.toSorted()).toEqual([...new Set(settings.flatMap(([values]) => Object.keys(values)))].toSorted());
    expect(keys.filter((key) => !/^[A-Z].*\.$/.test(properties[key]?.description ?? ''))).toEqual([]);
    expect(Object.keys(properties['alerting']?.properties?.['webhook']?.properties ?? {})).toEqual([
      ...['url', 'sink', 'additionalInfo'],
    ]);
  });

  it.each(settings.map(([values, check]) => [JSON.stringify(values), values, check] as const))(
    '%s changes what it should',
    async (_, values, check) => {
      const without = await renderText({ podReloader: {} }, options);
      expect(await renderText({ podReloader: values }, options)).not.toBe(without);
      check(await render(values));
    },
  );

  it('defaults are those of the chart', async () => {
    const defaults = Object.entries(schema.properties ?? {}).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value] as const],
    );
    expect(defaults.length).toBeGreaterThan(4);
    expect(await renderText({ podReloader: Object.fromEntries(defaults) }, options)).toBe(
      await renderText({}, options),
    );
  });

  it('says what is missing where messages have no address', async () => {
    await expect(render({ alerting: { enabled: true } })).rejects.toThrow(
      'alerting.enabled needs alerting.webhook.url',
    );
  });

  it('is the chart: the same objects under its name, without the test of Helm', async () => {
    const values = { fullnameOverride: name, reloader: { podMonitor: { enabled: true } } };
    const chart = new Rendered(await renderChart(values, { release: name, namespace }));
    const expected = chart.names().filter((each) => each !== 'Pod pod-reloader-test');
    const added = [`Namespace ${namespace}`, 'PrometheusRule pod-reloader'];
    expect((await render({})).names()).toEqual([...expected, ...added].toSorted());
  });

  it('stands in a namespace of its own, into which Prometheus looks for monitors and rules', async () => {
    expect(parse(readFileSync(path.join(moduleDir, 'module.yaml'), 'utf8'))).toMatchObject({ namespace });
    expect(await renderText({}, options)).not.toContain(options.namespace);
    const rendered = await render({});
    const namespaces = rendered.manifests.flatMap(({ metadata }) => metadata.namespace ?? []);
    expect(new Set(namespaces)).toEqual(new Set([namespace]));
    expect(rendered.args(name)).toContain(`--own-namespace=${namespace}`);
    expect(rendered.one('Namespace', namespace).metadata.labels).toMatchObject({
      'prometheus.deckhouse.io/monitor-watcher-enabled': 'true',
      'prometheus.deckhouse.io/rules-watcher-enabled': 'true',
    });
  });

  it('is whole as a folder alone, with files in the place of links', async () => {
    const temporary = createTemporaryDir();
    try {
      const chart = path.join(temporary.dir, 'pod-reloader');
      cpSync(moduleDir, chart, { recursive: true, dereference: true });
      expect(await renderText({}, { ...options, chart })).toBe(await renderText({}, options));
    } finally {
      temporary.dispose();
    }
  });

  it('sends no messages where they are not switched on', async () => {
    const off = { alerting: { enabled: false, webhook: { url: 'https://x.example', sink: 'slack' } } };
    expect(await renderText({ podReloader: off }, options)).toBe(await renderText({}, options));
  });

  it('brings its alerts', async () => {
    const rules = JSON.stringify((await render({})).spec('PrometheusRule'));
    for (const alert of ['PodReloaderDown', 'PodReloaderErrors', 'PodReloaderResourcesHigh']) {
      expect(rules).toContain(`"alert":"${alert}"`);
    }
  });
});
