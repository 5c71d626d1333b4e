import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addOnDefinitionFiles } from '../control-plane/add-ons';
import type { ControlPlane } from '../control-plane/cluster';
import { helm } from '../control-plane/helm';
import { startControlPlane } from '../control-plane/start';
import { chartCases } from './cases/all';
import { chartDir, renderText, type Values, withValuesFile } from './rendered-chart';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
  const files = addOnDefinitionFiles('install').flatMap((file) => ['-f', file]);
  await plane.kubectl(['apply', '--server-side', ...files]);
  const kinds = ['podmonitors.monitoring.coreos.com', 'certificates.cert-manager.io', 'verticalpodautoscalers.autoscaling.k8s.io']; // prettier-ignore
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...kinds.map((kind) => `crd/${kind}`)]);
  // `restricted` is the strictest pod security level of a namespace.
  for (const name of ['reroll', 'tools', 'elsewhere', 'm', 'monitoring', 'reroll-x', 'blog', 'shop']) {
    await plane.kubectl(['create', 'namespace', name]);
    await plane.kubectl(['label', 'namespace', name, 'pod-security.kubernetes.io/warn=restricted']);
  }
});

afterAll(async () => await plane.stop());

describe('a real API server accepts, field by field', () => {
  it.each(chartCases.map((each) => [each.what, each] as const))(
    '%s',
    async (_, { values, options, asksForMore = false }) => {
      const stdin = await renderText(values, options);
      const flags = ['--dry-run=server', '--validate=strict', ...(asksForMore ? [] : ['--warnings-as-errors'])];
      await plane.kubectl(['apply', ...flags, '-f', '-'], { stdin });
    },
  );
});

describe('what Helm tells after an install', () => {
  const notes = async (values: Values): Promise<string> =>
    await withValuesFile(values, async (file) => {
      const args = ['install', 'infra', chartDir, '--namespace', 'tools', '--values', file, '--dry-run=server'];
      const [, told = ''] = (await helm(args, plane.adminKubeconfigPath)).split('\nNOTES:\n');
      return told;
    });

  it('how to take the webhook out of the way, by the name that its registrations have', async () => {
    const command = 'kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration tools-infra-reroll ';
    expect(await notes({})).toContain(command);
  });

  it.each<[string, Values, string]>([
    ['opt in', {}, 'opt in: annotate a workload with reloader.stakater.com/auto: "true".'],
    [
      'opt in by another annotation',
      { reloader: { custom_annotations: { auto: 'acme.io/auto' } } },
      'acme.io/auto: "true".',
    ],
    [
      'opt out',
      { reloader: { autoReloadAll: true } },
      'opt out: annotate a workload with reloader.stakater.com/auto: "false".',
    ],
  ])('how workloads %s', async (_how, values, told) => {
    expect((await notes(values)).split('\n')[0]).toContain(told);
  });

  it('nothing of a webhook that is not there', async () => {
    const told = await notes({ webhook: { enabled: false } });
    expect(told).toContain('deployment/infra-reroll');
    expect(told).not.toContain('webhook');
  });
});
