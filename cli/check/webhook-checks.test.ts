import { describe, expect, it } from '@jest/globals';
import { refusal } from '../../shared/kube/transport/fake-transport';
import { certificateFor } from '../parts/certificates.fixture';
import { callCheck } from './call-check';
import { certificateCheck } from './certificate-check';
import { rows } from './check-rows.fixture';
import { endpointsCheck } from './endpoints-check';
import { TestInstall } from './install.fixture';
import { registrationsCheck } from './registrations-check';
import type { StoredWebhook } from './stored.fixture';

const host = 'reroll-webhook.reroll.svc';
const stopped = (install: TestInstall) => (install.specOf('Deployment', 'reroll-webhook').replicas = 0);
const unregistered = (install: TestInstall): void => {
  install.remove('ValidatingWebhookConfiguration');
  install.remove('MutatingWebhookConfiguration');
};
const podless = (install: TestInstall) =>
  ['reroll-webhook-1', 'reroll-webhook-2'].forEach((name) => install.remove('Pod', name));
const each = (install: TestInstall, change: (webhook: StoredWebhook) => unknown): void =>
  install.webhooks.forEach(change);
const caBundle = (cert: string): string => Buffer.from(cert).toString('base64');

rows(registrationsCheck, [
  ['none', unregistered, 'warning', /^the webhook runs, and no configuration calls Service reroll\/reroll-webhook/],
  [
    'none, and no webhook',
    (install) => {
      unregistered(install);
      stopped(install);
    },
    'ok',
    /^there is no webhook/,
  ],
  [
    'none, and Deployments may not be read',
    (install) => {
      unregistered(install);
      install.refused.add('list deployments');
    },
    'unknown',
    /^no configuration calls Service reroll\/reroll-webhook, and whether the webhook runs is not known: you may not list deployments\.apps in namespace reroll$/,
  ],
  [
    'the webhook was stopped',
    stopped,
    'failed',
    /registered and has 0 replicas/,
    /remove ValidatingWebhookConfiguration reroll and Mut/,
  ],
  [
    'no caBundle',
    (install) => each(install, ({ clientConfig }) => delete clientConfig.caBundle),
    'failed',
    /the caBundle holds no certificate$/,
    /^reroll certs sets/,
  ],
  [
    'a damaged caBundle',
    (install) => each(install, ({ clientConfig }) => (clientConfig.caBundle = 'AAAA')),
    'failed',
    /holds no certificate/,
  ],
  [
    'an expired caBundle',
    (install) => {
      const { cert } = certificateFor(host, { notAfter: '2025-12-31' });
      each(install, ({ clientConfig }) => (clientConfig.caBundle = caBundle(cert)));
    },
    'failed',
    /all certificates of the caBundle have expired/,
  ],
  [
    'one other caBundle',
    (install) => (install.webhooks[0]!.clientConfig.caBundle = caBundle(certificateFor(host).cert)),
    'warning',
    /do not all have the same caBundle/,
  ],
  [
    'no token',
    (install) => (install.webhooks[0]!.clientConfig.service.path = '/validate'),
    'failed',
    /^configmaps\.webhook\.reroll\.dev: no token in the path$/,
  ],
  [
    'it fails closed',
    (install) => (install.webhooks[1]!.failurePolicy = 'Fail'),
    'warning',
    /^secrets.*failurePolicy is not Ignore/,
  ],
  [
    'it is waited for',
    (install) => each(install, (webhook) => (webhook.timeoutSeconds = 30)),
    'warning',
    /timeoutSeconds is over 5/,
  ],
  [
    'another install',
    (install) => each(install, ({ clientConfig }) => (clientConfig.service.namespace = 'other')),
    'warning',
    /no configuration calls/,
  ],
  [
    'a missing right',
    (install) => install.refused.add('list validatingwebhookconfigurations'),
    'unknown',
    /^you may not list validatingwebhook/,
  ],
]);

rows(endpointsCheck, [
  [
    'no pod is ready',
    (install) => (install.object('EndpointSlice', 'w').endpoints = [{ conditions: { ready: false } }]),
    'failed',
    /^Service reroll\/reroll-webhook has no ready endpoint/,
  ],
  ['there is no Service', (install) => install.remove('EndpointSlice'), 'failed', /no ready endpoint/],
  ['there is no webhook', stopped, 'ok', /there is no webhook/],
  [
    'there is neither a Service nor a webhook',
    (install) => {
      install.remove('EndpointSlice');
      install.remove('Deployment', 'reroll-webhook');
    },
    'ok',
    /^there is no Service reroll\/reroll-webhook$/,
  ],
  [
    'there is no Service, and Deployments may not be read',
    (install) => {
      install.remove('EndpointSlice');
      install.refused.add('list deployments');
    },
    'unknown',
    /^there is no Service reroll\/reroll-webhook, and whether the webhook runs is not known: you may not list deployments/,
  ],
  [
    'a missing right',
    (install) => install.refused.add('list endpointslices'),
    'unknown',
    /^you may not list endpointslices/,
  ],
]);

rows(certificateCheck, [
  ['no pod is ready', podless, 'unknown', /^no pod of the webhook is ready$/],
  [
    'it ends soon',
    (install) => shown(install, { notAfter: '2026-01-05' }),
    'warning',
    /^it expires in 4 days$/,
    /^reroll certs renews it/,
  ],
  ['it has ended', (install) => shown(install, { notAfter: '2025-12-31' }), 'failed', /^it expired on Dec 31/],
  [
    'it is of tomorrow',
    (install) => shown(install, { notBefore: '2026-01-02' }),
    'failed',
    /^it is valid from Jan {2}2/,
  ],
  [
    'it has another name',
    (install) => {
      install.certificate = certificateFor('other.reroll.svc');
      each(install, ({ clientConfig }) => (clientConfig.caBundle = caBundle(install.certificate.cert)));
    },
    'failed',
    /^it is not for reroll-webhook\.reroll\.svc$/,
  ],
  [
    'somebody else signed it',
    (install) => (install.certificate = certificateFor(host)),
    'failed',
    /does not hold who signed it/,
  ],
  [
    'the clock of this machine is not what counts',
    (install) => {
      const notAfter = new Date(Date.now() - 60_000).toISOString();
      install.clock.jump(Date.parse(notAfter) - install.clock.nowMs() - 30 * 86_400_000);
      shown(install, { notAfter });
    },
    'ok',
    /^it expires in (29|30) days/,
  ],
  [
    'it is of ten days, and not yet due',
    (install) => shown(install, { notBefore: daysFrom(install, -5), notAfter: daysFrom(install, 5) }),
    'ok',
    /^it expires in 5 days/,
  ],
  [
    'it is of ten days, and overdue',
    (install) => shown(install, { notBefore: daysFrom(install, -8), notAfter: daysFrom(install, 2) }),
    'warning',
    /^it expires in 2 days$/,
  ],
  [
    'cert-manager keeps it',
    (install) =>
      (install.object('ValidatingWebhookConfiguration', 'reroll').metadata.annotations = {
        'cert-manager.io/inject-ca-from': 'a/b',
      }),
    'ok',
    /kept by cert-manager$/,
  ],
  [
    'it is from a Secret',
    (install) => install.containerOf('reroll-webhook').args.push('--tls-dir=/tls'),
    'ok',
    /kept by whoever fills the Secret/,
  ],
  [
    'it presents nothing',
    (install) => (install.certificate = { cert: '', key: '' }),
    'failed',
    /^the pod reroll-webhook-1 presents no certificate/,
  ],
  [
    'no pod is ready, and Deployments may not be read',
    (install) => {
      podless(install);
      install.refused.add('list deployments');
    },
    'unknown',
    /^no pod of the webhook is ready$/,
  ],
  ['there is no webhook', stopped, 'ok', /there is no webhook/],
  [
    'nothing of an install is there, and configurations may not be read',
    (install) => {
      podless(install);
      install.remove('Deployment');
      install.refused.add('list validatingwebhookconfigurations');
    },
    'unknown',
    /^no Deployment of Reroll is in namespace reroll, so it is not known whether there is a webhook$/,
  ],
  [
    'nothing of an install is there, and none is registered',
    (install) => {
      podless(install);
      unregistered(install);
      install.remove('Deployment');
    },
    'ok',
    /^there is no webhook$/,
  ],
  [
    'it is registered, and was deleted',
    (install) => {
      podless(install);
      install.remove('Deployment', 'reroll-webhook');
    },
    'unknown',
    /^no pod of the webhook is ready$/,
  ],
  ['pods may not be read', (install) => install.refused.add('list pods'), 'unknown', /^you may not list pods/],
  [
    'no port may be forwarded',
    (install) => install.refused.add('get pods/portforward'),
    'unknown',
    /^you may not get pods\/portforward in namespace reroll$/,
  ],
  [
    'the CA is not known',
    (install) => install.refused.add('list validatingwebhookconfigurations'),
    'unknown',
    /^it expires in \d+ days; whether the API server trusts it is not known: you may not list/,
  ],
]);

function shown(install: TestInstall, life: Parameters<typeof certificateFor>[1]): void {
  install.certificate = certificateFor(host, life);
  each(install, ({ clientConfig }) => (clientConfig.caBundle = caBundle(install.certificate.cert)));
}

function daysFrom({ clock }: TestInstall, days: number): string {
  return new Date(clock.nowMs() + days * 86_400_000).toISOString();
}

/** The API server goes on without the webhook; meanwhile the webhook counts something. */
function unanswered(install: TestInstall, counted?: string): void {
  install.onDryRun = () => {
    if (counted !== undefined) install.metrics[counted] = (install.metrics[counted] ?? 0) + 1;
    return { status: 201, body: {} };
  };
}

rows(callCheck, [
  [
    'no call arrives',
    unanswered,
    'failed',
    /^the webhook did not answer a dry run in namespace shop, and writes go on without it: no call arrives$/,
    /port 10250/,
  ],
  [
    'no call arrives at another port',
    (install) => {
      unanswered(install);
      for (const name of ['reroll-webhook-1', 'reroll-webhook-2']) {
        Object.assign(install.object('Pod', name), {
          spec: { containers: [{ args: ['webhook'], ports: [{ name: 'https', containerPort: 10_260 }] }] },
        });
      }
    },
    'failed',
    /no call arrives$/,
    /port 10260/,
  ],
  [
    'its certificate is not trusted',
    (install) => unanswered(install, 'reroll_webhook_tls_errors_total'),
    'failed',
    /does not trust the certificate$/,
  ],
  [
    'callers need a certificate',
    (install) => {
      unanswered(install, 'reroll_webhook_tls_errors_total');
      install.containerOf('reroll-webhook').args.push('--client-ca-file=/etc/reroll/client-ca/ca.crt');
    },
    'failed',
    /does not trust the certificate, or has none that --client-ca-file accepts$/,
    /docs\/webhook\.md$/,
  ],
  [
    'its token is not known',
    (install) => unanswered(install, 'reroll_webhook_requests_total{path="other",code="404"}'),
    'failed',
    /does not know the token of the calls$/,
  ],
  [
    'it is slow',
    (install) => unanswered(install, 'reroll_webhook_requests_total{path="validate",code="200"}'),
    'failed',
    /calls arrive, and are not answered in time$/,
  ],
  [
    'it answers the second time',
    (install) => {
      const answers = install.onDryRun;
      install.onDryRun = () => {
        install.onDryRun = answers;
        return { status: 201, body: {} };
      };
    },
    'warning',
    /; it answered another$/,
  ],
  [
    'why may not be read',
    (install) => {
      unanswered(install);
      install.refused.add('get pods/portforward');
    },
    'failed',
    /; why is not known: you may not get pods\/portforward/,
  ],
  [
    'a warning of somebody else',
    (install) => (install.onDryRun = () => ({ status: 201, headers: { warning: '299 - "use labels"' }, body: {} })),
    'failed',
    /no call arrives/,
  ],
  [
    'it fails closed',
    (install) => (install.onDryRun = () => refusal(500, 'InternalError')),
    'failed',
    /^the API server refuses writes in namespace shop/,
  ],
  [
    'a policy refuses it',
    (install) => (install.onDryRun = () => refusal(403, 'Forbidden', 'configmaps "x" is forbidden: labels')),
    'unknown',
    /^a dry run in namespace shop was refused/,
  ],
  [
    'a missing right',
    (install) => install.refused.add('create configmaps'),
    'unknown',
    /^you may not create configmaps in namespace shop$/,
    /-n$/,
  ],
  [
    'a condition of somebody else',
    (install) => {
      unanswered(install);
      each(install, ({ matchConditions }) => matchConditions.push({ name: 'mine', expression: 'false' }));
    },
    'unknown',
    /a matchCondition of your own may be why: mine$/,
  ],
  [
    'by an account of Reroll',
    (install) => {
      unanswered(install);
      install.username = 'system:serviceaccount:reroll:reroll';
    },
    'unknown',
    /^you are system:serviceaccount:reroll:reroll, for whose writes/,
  ],
  [
    'registrations may not be read, and it answers',
    (install) => install.refused.add('list mutatingwebhookconfigurations'),
    'ok',
    /^the webhook answered a dry run in namespace shop$/,
  ],
  [
    'registrations may not be read, and it does not answer',
    (install) => {
      unanswered(install);
      install.refused.add('list mutatingwebhookconfigurations');
    },
    'unknown',
    /whether the webhook is registered for it is not known: you may not list mutatingwebhookconfigurations/,
  ],
  ['there is no webhook', stopped, 'ok', /there is no webhook/],
  ['none is registered', unregistered, 'ok', /is not registered for ConfigMaps or Secrets/],
  [
    'none is registered, and Deployments may not be read',
    (install) => {
      unregistered(install);
      install.refused.add('list deployments');
    },
    'unknown',
    /^it is not known which webhook is to be called: you may not list deployments/,
  ],
  [
    'no namespace is selected',
    (install) => each(install, ({ namespaceSelector }) => (namespaceSelector.matchLabels = { no: 'such' })),
    'unknown',
    /^the webhook is not registered for namespace shop, and no other was found/,
  ],
]);

describe('the dry run', () => {
  async function sent(spoil: (install: TestInstall) => void, namespace = 'shop') {
    const install = new TestInstall();
    spoil(install);
    const finding = await callCheck.look(install.facts(namespace));
    const writes = install.requests.filter(({ method }) => method !== 'GET');
    return {
      finding,
      writes: writes.map(({ path }) => path),
      body: JSON.parse(writes[0]?.body?.toString() ?? '{}') as object,
    };
  }

  it('stores nothing, and asks for a warning', async () => {
    const { writes, body } = await sent(() => undefined);
    expect(writes).toEqual(['/api/v1/namespaces/shop/configmaps?dryRun=All&fieldManager=reroll-check']);
    expect(body).toEqual({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: {
        ...{ name: expect.stringMatching(/^reroll-check-/), namespace: 'shop', labels: {} },
        annotations: { 'reroll.dev/validate': 'warn', 'reroll.dev/required-keys': 'reroll-check' },
      },
    });
  });

  it('is of a Secret if the webhook is not registered for ConfigMaps', async () => {
    const { writes, finding } = await sent((install) =>
      each(install, ({ rules }) => (rules[0]!.resources = rules[0]!.resources.filter((name) => name !== 'configmaps'))),
    );
    expect(writes[0]).toContain('/namespaces/shop/secrets?dryRun=All');
    expect(finding.state).toBe('ok');
  });

  it('has the labels that the webhook is registered for', async () => {
    const { body } = await sent((install) =>
      each(install, (webhook) => {
        const matchExpressions = [
          { key: 'tier', operator: 'Exists' },
          { key: 'x', operator: 'DoesNotExist' },
        ];
        webhook.objectSelector = { matchLabels: { a: 'b' }, matchExpressions };
      }),
    );
    expect(body).toMatchObject({ metadata: { labels: { a: 'b', tier: 'true' } } });
  });

  it.each(['reroll', 'kube-system', 'none'])(
    'is made elsewhere if the webhook is not called for %s',
    async (namespace) => {
      const { writes, finding } = await sent(() => undefined, namespace);
      expect(writes[0]).toContain('/namespaces/shop/');
      expect(finding.says).toBe('the webhook answered a dry run in namespace shop');
    },
  );
});
