import { describe, expect, it } from '@jest/globals';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import type { OptionRow } from '../../shared/runtime/options/option-table';
import { UsageError, type Environment } from '../../shared/runtime/options/options';
import { parseReconcilerOptions, reconcilerOptionTable, type ReconcilerOptions } from './options';

/** Reloader's command line is read as Reloader reads it. Each row names the section that it tests. */

type Expected = Partial<ReconcilerOptions>;

function parse(args: readonly string[], env: Environment = {}): ReconcilerOptions {
  return parseReconcilerOptions(args, env);
}

function problem(args: readonly string[]): string {
  try {
    parse(args);
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.message;
    throw thrown;
  }
  return 'accepted';
}

describe('read as by Reloader', () => {
  it.each<[string, readonly string[], Expected]>([
    ['§1.1 a bool alone is true', ['--auto-reload-all'], { autoReloadAll: true }],
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text): [string, readonly string[], Expected] => [
      `§1.1 a bool that is ${text}`,
      [`--auto-reload-all=${text}`],
      { autoReloadAll: true },
    ]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text): [string, readonly string[], Expected] => [
      `§1.1 a bool that is ${text}`,
      ['--auto-reload-all', `--auto-reload-all=${text}`],
      { autoReloadAll: false },
    ]),
    ['§1.1 a string with =', ['--reload-strategy=annotations'], { strategy: 'annotations' }],
    ['§1.1 a string as the next argument', ['--reload-strategy', 'annotations'], { strategy: 'annotations' }],
    ['§1.1 the last string counts', ['--log-level=debug', '--log-level=warn'], { logLevel: 'warn' }],
    ['§1.1 lists add up', ['--namespaces=a,b', '--namespaces', 'c'], { namespaces: ['a', 'b', 'c'] }],
    ['§1.1 quotes of CSV', ['--namespace-selector="a=b,c=d"'], { namespaceSelector: parseSelector('a=b,c=d') }],
    ['§1.1 an empty list', ['--namespaces='], { namespaces: [] }],
    ['§1.2 a string bool as the next argument', ['--reload-on-create', 'true'], { reloadOnCreate: true }],
    ['§1.2 a string bool that is false', ['--reload-on-delete', 'false'], { reloadOnDelete: false }],
    ['§1.2 the empty log format', ['--log-format='], { logFormat: 'console' }],
    ['§1.2 a log level in any case', ['--log-level=WARN'], { logLevel: 'warn' }],
    ['§1.2 configMaps', ['--resources-to-ignore=configMaps'], { ignoredSourceKind: 'ConfigMap' }],
    ['§1.2 both types', ['--ignored-workload-types=jobs,cronjobs'], { ignoredWorkloadKinds: ['Job', 'CronJob'] }],
    [
      '§10.3 a selector that CSV cuts in two',
      ['--resource-label-selector=k in (a,b)'],
      { sourceSelector: parseSelector('k in (a,b)') },
    ],
    [
      '§10.3 the older way to write it',
      ['--resource-label-selector=env:prod,team:*'],
      { sourceSelector: parseSelector('env=prod,team') },
    ],
  ])('%s: %j', (_rule, args, expected) => {
    expect(parse(args)).toMatchObject(expected);
  });

  it.each([
    ['in upper case', 'Example.COM/Ignore'],
    ['with a long label before the slash', `${'a'.repeat(64)}.example/ignore`],
  ])('§1.2 an annotation key %s', (_what, key) => {
    expect(parse([`--ignore-annotation=${key}`]).annotationKeys.ignore).toBe(key);
  });

  it.each<[string, Environment, readonly string[], Expected]>([
    ['§1.3 KUBERNETES_NAMESPACE', { KUBERNETES_NAMESPACE: 'shop' }, [], { namespaces: ['shop'] }],
    [
      '§1.3 --namespaces wins over it',
      { KUBERNETES_NAMESPACE: 'shop' },
      ['--namespaces=bank'],
      { namespaces: ['bank'] },
    ],
    [
      '§1.3 --namespaces does not win if it names none',
      { KUBERNETES_NAMESPACE: 'shop' },
      ['--namespaces='],
      { namespaces: ['shop'] },
    ],
    ['§1.3 empty is not set', { KUBERNETES_NAMESPACE: '' }, [], { namespaces: [] }],
    [
      '§1.3 POD_NAME and POD_NAMESPACE',
      { POD_NAME: 'r-0', POD_NAMESPACE: 'ops' },
      ['--enable-ha'],
      { podName: 'r-0', ownNamespace: 'ops' },
    ],
  ])('%s', (_rule, env, args, expected) => {
    expect(parse(args, env)).toMatchObject(expected);
  });

  it.each([
    ['§1.1 an unknown flag', ['--is-argo'], 'unknown flag'],
    ['§1.1 another case', ['--Auto-Reload-All'], 'did you mean --auto-reload-all?'],
    ['§1.1 no bool', ['--auto-reload-all=yes'], 'not a boolean'],
    ['§1.1 no value at all', ['--reload-strategy'], 'needs a value'],
    ['§1.1 a bare quote', ['--namespaces=a"b'], 'a quote out of place'],
    ['§1.2 no such strategy', ['--reload-strategy=rolling'], 'no such strategy'],
    [
      '§1.2 both kinds of source',
      ['--resources-to-ignore=configmaps', '--resources-to-ignore=secrets'],
      'no kind would be left',
    ],
    ['§10.3 env!=*', ['--namespace-selector=env!=*'], 'to select any value write the key alone'],
    ['§10.3 a trailing comma', ['--namespace-selector=env=prod,'], 'a label key is missing at the end'],
  ])('%s is refused: %j', (_rule, args, message) => {
    expect(problem(args)).toContain(message);
  });
});

describe('better than by Reloader', () => {
  it.each<[string, readonly string[], Expected]>([
    ['§1.1 --x false is false, not true with a stray word', ['--auto-reload-all', 'false'], { autoReloadAll: false }],
    [
      '§1.2 a string bool does not swallow the next flag',
      ['--reload-on-create', '--auto-reload-all'],
      { reloadOnCreate: true, autoReloadAll: true },
    ],
    ['§1.2 Q52 a string bool that is True', ['--reload-on-create=True'], { reloadOnCreate: true }],
    ['§1.2 Q54 elements are trimmed', ['--namespaces=a, b'], { namespaces: ['a', 'b'] }],
    ['§10.1 twice the same namespace is watched once', ['--namespaces=a,a'], { namespaces: ['a'] }],
    ['§1.2 twice the same kind is one', ['--resources-to-ignore=secrets,secrets'], { ignoredSourceKind: 'Secret' }],
    [
      '§10.3 Q55 several older terms in one element',
      ['--namespace-selector="a:b,c:*"'],
      { namespaceSelector: parseSelector('a=b,c') },
    ],
    ['§10.2 gaps in what is ignored', ['--namespaces-to-ignore=,a,,b,'], { namespacesToIgnore: ['a', 'b'] }],
  ])('%s: %j', (_rule, args, expected) => {
    expect(parse(args)).toMatchObject(expected);
  });
});

describe('refused, where Reloader goes on with something else', () => {
  it.each([
    ['§1.1 a stray word', ['stray'], 'unexpected argument'],
    ['§1.1 a flag as the value of another', ['--log-level', '--auto-reload-all'], '--log-level needs a value'],
    ['§1.2 an empty annotation key', ['--auto-annotation='], 'not an annotation key'],
    ['§1.2 Q53 no such log format', ['--log-format=JSON'], 'no such format'],
    ['§1.2 no such log level', ['--log-level=loud'], 'no such level'],
    [
      '§1.2 Q11 a bad element of --ignored-workload-types',
      ['--ignored-workload-types=jobs,Deployments'],
      'element "Deployments"',
    ],
    [
      '§1.2 Q54 an empty element of --namespaces, which would be the whole cluster',
      ['--namespaces=a,'],
      'element "": not a namespace',
    ],
    ['§10.1 what can be no namespace', ['--namespaces-to-ignore=kube-*'], 'element "kube-*": not a namespace'],
    ['§1.2 a string bool that is neither', ['--reload-on-create=yes'], 'not a boolean'],
  ])('%s: %j', (_rule, args, message) => {
    expect(problem(args)).toContain(message);
  });
});

describe("Reloader's own chart", () => {
  /** Its arguments in their order. Each value that has a flag here is set; the others appear with what they switch on. */
  const rendered = [
    ...[
      '--log-format=json',
      '--log-level=info',
      '--resources-to-ignore=secrets',
      '--ignored-workload-types=jobs,cronjobs',
    ],
    ...['--namespaces-to-ignore=kube-system', '--namespace-selector="env=prod,team in (a,b)"'],
    ...['--resource-label-selector=reload=yes', '--enable-pprof', '--pprof-addr=:6060'],
    ...['--configmap-annotation', 'c/a', '--secret-annotation', 'c/b', '--auto-annotation', 'c/c'],
    ...['--secret-auto-annotation', 'c/d', '--configmap-auto-annotation', 'c/e', '--auto-search-annotation', 'c/f'],
    ...[
      '--enable-csi-integration',
      '--pause-deployment-annotation',
      'c/i',
      '--pause-deployment-time-annotation',
      'c/j',
    ],
    ...['--search-match-annotation', 'c/g', '--ignore-annotation', 'c/h', '--webhook-url=https://hook.example/a'],
    ...['--is-Argo-Rollouts=true'],
    ...['--reload-on-create=true', '--reload-on-delete=true', '--sync-after-restart=true'],
    ...['--reload-strategy=annotations', '--enable-ha=true', '--auto-reload-all=true'],
  ];

  it('is understood', () => {
    const env = {
      ...{ POD_NAME: 'r-0', POD_NAMESPACE: 'ops', RELOADER_NAMESPACE: 'ops', RELOADER_DEPLOYMENT_NAME: 'reloader' },
      ...{ ALERT_ON_RELOAD: 'true', ALERT_SINK: 'slack', ALERT_WEBHOOK_URL: 'https://sink.example/b', GOMAXPROCS: '1' },
      ...{ GOMEMLIMIT: '536870912', GOREQUEST_DEBUG: '1' },
    };
    expect(parse(rendered, env)).toMatchObject({
      ...{ autoReloadAll: true, reloadOnCreate: true, reloadOnDelete: true, strategy: 'annotations' },
      ...{ namespacesToIgnore: ['kube-system'], namespaceSelector: parseSelector('env=prod,team in (a,b)') },
      ...{ sourceSelector: parseSelector('reload=yes'), ignoredSourceKind: 'Secret' },
      ...{ leaseName: 'stakater-reloader-lock', listen: { host: undefined, port: 9090 } },
      ...{ csi: true, annotationKeys: expect.objectContaining({ pausePeriod: 'c/i', pausedAt: 'c/j' }) as never },
      ...{ webhookUrl: new URL('https://hook.example/a'), metaInfoNamespace: 'ops', metaInfoDeployment: 'reloader' },
      ...{ alertOnReload: true, alertSink: 'slack', alertWebhookUrl: new URL('https://sink.example/b') },
    });
  });

  it('every flag of §1.2 that is there is tried by it, or by the namespaced install', () => {
    const tried = [...rendered, '--namespaces'].filter((arg) => arg.startsWith('--')).map((arg) => arg.split('=')[0]);
    // For alerts and meta-info, Reloader has variables only.
    const ours =
      /^(settle|settle-max|restart|restart-windows|min-interval|max-rolling.*|node-pool-label|restart-rate|stages-from|healthy-for|healthy-urls|prometheus-url|stage-deadline|rollback|fold-rollouts|dry-run|history|pod-name|lease-name|channel-.*|inspection-listen|certs-secret|kubeconfig|context|listen|own-namespace|alert-.*|meta-info-.*|otlp-.*|otel-.*)$/;
    const flags = Object.values<OptionRow>(reconcilerOptionTable).map(({ flag }) => flag);
    expect(flags.filter((flag) => !ours.test(flag) && !tried.includes(`--${flag}`))).toEqual([]);
  });
});
