import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { connectionHelp, exitCodesHelp, helpOf } from '../cluster/cluster-help.fixture';
import { ConnectionError } from '../../shared/kube/errors';
import { checkReportSchema } from './check-report';
import { checkCommandIn } from './check-command';
import { runChecks } from './checks';
import { leader, TestInstall } from './install.fixture';

const help = `Usage: reroll check [flags]

Asks.

Options:
  -h, --help  print this help

What is asked:
  -n, --namespace             Namespace in which the webhook is tried, with a
                              dry run; otherwise the context's. Accepts a
                              namespace.
  --strict                    Exit with 1 for warnings too. (default false)

Output:
  -o, --output                Format of the answer. Accepts text, json, yaml,
                              name. (default text)

${connectionHelp}
Exit codes:
  0    answered
  1    answered: something failed, or with --strict is a warning
${exitCodesHelp}
Examples:
  reroll check
  reroll check -n shop --strict
  kubectl reroll check -o json
`;

const well = `STATE   CHECK           WHAT
ok      lease           reroll-7d9f8b6c5-x2x4z leads, renewed 2 seconds ago
ok      replicas        available: reroll-certs 1 of 1, reroll 1 of 1 and reroll-webhook 2 of 2
ok      versions        all parts are of version 0.0.0-test
ok      engine          acting, no workload waits
ok      holds           not everything is held
ok      watches         the watch follows
ok      rights          no right is missing
ok      spare-rights    no role grants more than the flags need
ok      registrations   ValidatingWebhookConfiguration reroll and MutatingWebhookConfiguration reroll, 18 webhooks
ok      endpoints       Service reroll-webhook has 2 ready endpoints
ok      webhook-call    the webhook answered a dry run in namespace shop
ok      certificate     it expires in 8401 days, for reroll-webhook.reroll.svc, kept by reroll certs
ok      channel         the leader took 12 change records, the last 3 minutes ago
ok      clocks          this machine and the leader's node agree with the API server

14 checks: 14 ok
`;

const ill = `STATE     CHECK           WHAT
ok        lease           reroll-7d9f8b6c5-x2x4z leads, renewed 2 seconds ago; you may not list pods in namespace reroll, so its pod was not looked at
warning   replicas        1 of 2 pods of Deployment reroll-webhook are available
ok        versions        all parts are of version 0.0.0-test
ok        engine          acting, no workload waits
ok        holds           not everything is held
ok        watches         the watch follows
ok        rights          no right is missing
ok        spare-rights    no role grants more than the flags need
ok        registrations   ValidatingWebhookConfiguration reroll and MutatingWebhookConfiguration reroll, 18 webhooks
failed    endpoints       Service reroll/reroll-webhook has no ready endpoint: the API server reaches no webhook
ok        webhook-call    the webhook answered a dry run in namespace shop
unknown   certificate     you may not list pods in namespace reroll
unknown   channel         which reconcilers the webhook knows is not known: you may not list pods in namespace reroll
ok        clocks          this machine and the leader's node agree with the API server

What to do:
  replicas: kubectl -n reroll describe pods -l app.kubernetes.io/component=webhook
  endpoints: kubectl -n reroll describe service reroll-webhook; compare its selector with the labels of the pods, and see why they are not ready

14 checks: 10 ok, 1 warning, 1 failed and 2 unknown
`;

describe('reroll check', () => {
  it('--help', async () => {
    expect(await helpOf('check', checkCommandIn)).toBe(help);
  });

  it('says that an install is well', async () => {
    expect(await new TestInstall().run()).toEqual({ code: 0, out: well, err: '' });
  });

  it('takes no webhook of another install in the namespace for its own', async () => {
    const install = new TestInstall();
    const names = { namespace: 'reroll', uid: 'u', resourceVersion: '1' };
    const labels = { 'app.kubernetes.io/component': 'webhook', 'app.kubernetes.io/version': 'v1.15.3' };
    const containers = [{ args: ['--v=2'], image: 'quay.io/jetstack/cert-manager-webhook:v1.15.3' }];
    const metadata = { ...names, name: 'cert-manager-webhook', labels };
    install.objects.unshift(
      { kind: 'Deployment', metadata, spec: { replicas: 1, template: { spec: { containers } } } },
      { kind: 'Pod', metadata, spec: { containers }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    );
    install.specOf('Deployment', 'reroll-webhook').replicas = 0;
    const { out } = await install.run();
    expect(out).toContain('the webhook is registered and has 0 replicas');
    expect(out).not.toMatch(/cert-manager|v1\.15\.3|default/);
  });

  it('says what is not, and what to do; no line is cut on a narrow terminal', async () => {
    const install = new TestInstall();
    install.object('Deployment', 'reroll-webhook').status = { availableReplicas: 1 };
    install.object('EndpointSlice', 'w').endpoints = [];
    install.refused.add('list pods');
    expect(await install.run([], { isTerminal: false })).toEqual({ code: 1, out: ill, err: '' });
    const coloured = (await install.run([], { isTerminal: true })).out;
    expect(coloured).toContain('\u001b[31mfailed');
    expect(stripVTControlCharacters(coloured)).toBe(ill);
  });

  it('ends with 1 for a warning if it is strict, and never for what is unknown', async () => {
    const install = new TestInstall();
    install.refused.add('list deployments');
    expect((await install.run(['--strict'])).code).toBe(0);
    install.ownClock.jump(60_000);
    expect((await install.run()).code).toBe(0);
    expect((await install.run(['--strict'])).code).toBe(1);
  });

  it('prints JSON, YAML and the names of what is not well', async () => {
    const install = new TestInstall();
    install.ownClock.jump(60_000);
    const { v, checks } = checkReportSchema.parse(JSON.parse((await install.run(['-o', 'json'])).out));
    expect([v, checks.length]).toEqual([1, 14]);
    expect(checks[0]).toEqual({ name: 'lease', state: 'ok', says: `${leader} leads, renewed 2 seconds ago` });
    expect(checks.at(-1)).toEqual({
      ...{ name: 'clocks', state: 'warning' },
      says: "the clock of this machine is 60 seconds ahead of the API server's",
      fix: expect.stringContaining('set it'),
    });
    expect((await install.run(['-o', 'yaml'])).out).toMatch(/^v: 1\nchecks:\n {2}- name: lease\n/);
    expect((await install.run(['-o', 'name'])).out).toBe('clocks\n');
  });

  it('never shows the token of the webhook', async () => {
    const install = new TestInstall();
    const shown = await Promise.all(['text', 'json'].map(async (output) => (await install.run(['-o', output])).out));
    expect(shown.join('')).not.toContain('a1a1');
  });

  it('ends with 3 if the API server does not answer', async () => {
    const cluster = new TestInstall().cluster('shop');
    const request = async () => await Promise.reject(new ConnectionError('ECONNREFUSED'));
    const client = Object.assign(Object.create(cluster.client) as typeof cluster.client, { request });
    const connect = async () => await Promise.resolve({ ...cluster, client });
    expect(await new TestInstall().run([], { connect })).toEqual({
      ...{ code: 3, out: '' },
      err: expect.stringMatching(/^the API server does not answer: ECONNREFUSED\. Is it the right --context/),
    });
  });

  it('refuses an argument', async () => {
    expect(await new TestInstall().run(['lease'])).toMatchObject({ code: 2, out: '' });
  });

  it('goes on if a check cannot be made', async () => {
    const broken = { name: 'broken', look: async () => await Promise.reject(new Error('500')) };
    const findings = await runChecks(new TestInstall().facts(), [broken, { ...broken, name: 'other' }]);
    const unknown = { state: 'unknown', says: 'it could not be checked: 500' };
    expect(findings).toEqual([
      { name: 'broken', ...unknown },
      { name: 'other', ...unknown },
    ]);
  });
});
