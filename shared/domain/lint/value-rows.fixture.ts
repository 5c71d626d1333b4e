import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import type { LintRow } from './lint.fixture';

/** Invalid values. */
export const valueRows: readonly LintRow[] = [
  {
    title: 'a value that is not a boolean',
    applied: { metadata: { [keys.auto]: 'yes' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'a boolean with a space',
    applied: { metadata: { [keys.configMapAuto]: ' true' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/auto=" true" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'a boolean for one kind on the pod template',
    applied: { template: { [keys.secretAuto]: 'on' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation secret.reloader.stakater.com/auto="on" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'search that is not exactly true',
    applied: { metadata: { [keys.search]: 'True' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation reloader.stakater.com/search="True" is not exactly "true" and has no effect; write "true"',
      ],
    ],
  },
  {
    title: 'an invalid pattern',
    applied: { metadata: { [keys.configMapReload]: 'app,app[' } },
    says: [
      [
        'bad-pattern',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app[" is not a valid RE2 pattern (missing closing ]: `[$`); write a name or an RE2 pattern; a comma always ends the pattern',
      ],
    ],
  },
  {
    title: 'a pattern that RE2 does not support',
    applied: { metadata: { [keys.secretReload]: 'db,(?=x)y' } },
    says: [
      [
        'bad-pattern',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="(?=x)y" is not a valid RE2 pattern (invalid or unsupported Perl syntax: `(?=`); write a name or an RE2 pattern; a comma always ends the pattern',
      ],
    ],
  },
  {
    title: 'a repetition cut off by its comma',
    applied: { metadata: { [keys.configMapReload]: 'app,a{1,3}' } },
    says: [
      [
        'bad-pattern',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="a{1" is cut off in its braces: a comma always ends the pattern; write the repetition without a comma',
      ],
    ],
  },
  {
    title: 'alternatives without parentheses',
    applied: { metadata: { [keys.configMapReload]: 'app|common' } },
    says: [
      [
        'pattern-loose',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app|common" matches every name that begins with its first alternative or ends with its last one; write (app|common) to match whole names',
      ],
    ],
  },
  {
    title: 'patterns that are too large',
    applied: { metadata: { [keys.secretReload]: `db,((d{90}b){90}c){90}` } },
    says: [
      [
        'pattern-refused',
        'Deployment shop/web: annotation secret.reloader.stakater.com/reload="((d{90}b){90}c){90}" is ignored, since it is too large; repeat less in the pattern, or list names instead',
      ],
    ],
  },
  {
    title: 'a list of more names than anybody has',
    applied: { metadata: { [keys.configMapReload]: 'app,'.repeat(501), [keys.secretReload]: 'db' } },
    says: [
      [
        'over-budget',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="app,app,app,app,app,app,app,app,app,app,app,app,app,app,a…" has more than 500 names and is ignored as a whole; list fewer names',
      ],
    ],
  },
  {
    title: 'a long invalid pattern',
    applied: { metadata: { [keys.configMapReload]: `app,(${'x'.repeat(150)}` } },
    says: [
      [
        'bad-pattern',
        'Deployment shop/web: annotation configmap.reloader.stakater.com/reload="(xxxxxxxxxxxxxxxxxxxxxxxx…" is not a valid RE2 pattern (missing closing ): `^(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…); write a name or an RE2 pattern; a comma always ends the pattern',
      ],
    ],
  },
  {
    title: 'a number without a unit',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/settle': '5' } },
    says: [
      [
        'bad-duration',
        'Deployment shop/web: annotation reroll.dev/settle="5" is not a duration and has no effect; write one such as 500ms, 10s or 1m30s',
      ],
    ],
  },
  {
    title: 'a hold that cannot be read',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/hold': 'until=tomorrow' } },
    says: [
      [
        'bad-hold',
        'Deployment shop/web: annotation reroll.dev/hold="until=tomorrow" is not a hold that Reroll can read; it holds, without an end; write true, false, or such as until=2026-12-01T06:00:00Z, because=release freeze',
      ],
    ],
  },
  {
    title: 'windows that are none',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/windows': 'Mon-Fri 22-05' } },
    says: [
      [
        'bad-window',
        'Deployment shop/web: annotation reroll.dev/windows="Mon-Fri 22-05" has no effect: "22-05" is not a time of day such as 22:00-05:00; write such as "Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun", "0 22 * * 1-5 +7h", or always',
      ],
    ],
  },
  {
    title: 'a wave that is no number',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/wave': 'first' } },
    says: [
      [
        'bad-order',
        'Deployment shop/web: annotation reroll.dev/wave="first" is not a whole number and has no effect; write such as 10 or -1',
      ],
    ],
  },
  {
    title: 'others before it, without their kinds',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/after': 'db, cache' } },
    says: [
      [
        'bad-order',
        'Deployment shop/web: annotation reroll.dev/after="db, cache" has no effect: "db" is not a kind and a name; write such as deployment/db, statefulset/cache',
      ],
    ],
  },
  {
    title: 'itself before it',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/after': 'deployment/db, deployment/web' } },
    says: [
      [
        'bad-order',
        'Deployment shop/web: annotation reroll.dev/after="deployment/db, deployment/web" names itself, or one that in the end comes after it, and has no effect; name only those that come before',
      ],
    ],
  },
  {
    title: 'a canary that is neither',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/canary': 'yes' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation reroll.dev/canary="yes" is not a boolean and has no effect; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'a health check at an IP address',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-url': 'http://10.0.0.1/' } },
    says: [
      [
        'bad-check',
        'Deployment shop/web: annotation reroll.dev/healthy-url="http://10.0.0.1/" is not the URL of a Service, so the check never passes; write such as http://web:8080/healthz, with a Service of the same namespace',
      ],
    ],
  },
  {
    title: 'a health check at a Service of another namespace',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-url': 'http://web.bank.svc/' } },
    says: [
      [
        'bad-check',
        'Deployment shop/web: annotation reroll.dev/healthy-url="http://web.bank.svc/" names a Service of another namespace, so the check never passes; name one of its own',
      ],
    ],
  },
  {
    title: 'health checks that the install asks',
    applied: {
      metadata: {
        [keys.auto]: 'true',
        'reroll.dev/healthy-url': 'http://web.shop.svc/',
        'reroll.dev/healthy-query': 'up == 1',
      },
    },
    flags: { askedChecks: { urls: true, queries: true } },
    says: [],
  },
  {
    title: 'health checks that the install does not ask',
    applied: {
      metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-url': 'http://web/', 'reroll.dev/healthy-query': 'up' },
    },
    flags: { askedChecks: { urls: false, queries: false } },
    says: [
      [
        'check-not-asked',
        'Deployment shop/web: annotation reroll.dev/healthy-url="http://web/" has no effect: the install has no --healthy-urls; set it, or remove the annotation',
      ],
      [
        'check-not-asked',
        'Deployment shop/web: annotation reroll.dev/healthy-query="up" has no effect: the install has no --prometheus-url; set it, or remove the annotation',
      ],
    ],
  },
  {
    title: 'a query that is empty',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/healthy-query': ' ' } },
    says: [
      [
        'bad-check',
        'Deployment shop/web: annotation reroll.dev/healthy-query=" " is empty or longer than 1000 characters, so the check never passes; write a query in PromQL, or remove it',
      ],
    ],
  },
  {
    title: 'stages that are neither',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/stages': 'true' } },
    says: [
      [
        'bad-choice',
        'Deployment shop/web: annotation reroll.dev/stages="true" is not a choice and has no effect; use "on" or "off"',
      ],
    ],
  },
  {
    title: 'a workload that is resumed as a source is',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/resumed': '0123abcd' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reroll.dev/resumed="0123abcd" counts on a source only and has no effect here; move it to the source',
      ],
    ],
  },
  {
    title: 'a workload on whose failure something is to be put back',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/on-failure': 'rollback' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reroll.dev/on-failure="rollback" counts on a source or a namespace only and has no effect here; move it to the source or the namespace',
      ],
    ],
  },
  {
    title: 'a limit on a workload',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/max-rolling': '5' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reroll.dev/max-rolling="5" counts on a source or a namespace only and has no effect here; move it to the source or the namespace',
      ],
    ],
  },
  {
    title: 'an urgent workload',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/urgent': 'true' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reroll.dev/urgent="true" counts on a source only and has no effect here; move it to the source',
      ],
    ],
  },
  {
    title: 'a negative time',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/settle-max': '-1s' } },
    says: [
      [
        'bad-duration',
        'Deployment shop/web: annotation reroll.dev/settle-max="-1s" is not a duration and has no effect; write one such as 500ms, 10s or 1m30s',
      ],
    ],
  },
  {
    title: 'a time in days',
    applied: { metadata: { [keys.auto]: 'true', [keys.pausePeriod]: '1d' } },
    says: [
      [
        'bad-duration',
        'Deployment shop/web: annotation deployment.reloader.stakater.com/pause-period="1d" is not a duration and has no effect; write one such as 30s, 5m or 1h30m',
      ],
    ],
  },
  {
    title: 'no time at all',
    applied: { metadata: { [keys.auto]: 'true', [keys.pausePeriod]: '0s' } },
    says: [
      [
        'bad-duration',
        'Deployment shop/web: annotation deployment.reloader.stakater.com/pause-period="0s" is not a time above zero and has no effect; write one such as 30s, 5m or 1h30m',
      ],
    ],
  },
  {
    title: 'a settle window longer than its maximum',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '10s' } },
    says: [
      [
        'bad-window',
        'Deployment shop/web: annotation reroll.dev/settle="1m" is longer than reroll.dev/settle-max, after which nothing is waited for; make the one shorter or the other longer',
      ],
    ],
  },
  {
    title: 'a lint that is neither on nor off',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/lint': 'false' } },
    says: [
      [
        'bad-choice',
        'Deployment shop/web: annotation reroll.dev/lint="false" is not a choice and has no effect; use one of on, off',
      ],
    ],
  },
  {
    title: 'an unknown strategy',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/strategy': 'envvars' } },
    says: [
      [
        'bad-choice',
        'Deployment shop/web: annotation reroll.dev/strategy="envvars" is not a choice and has no effect; use one of env-vars, annotations, restarted-at',
      ],
    ],
  },
  {
    title: 'an unknown policy of a Job',
    applied: { kind: 'Job', metadata: { [keys.auto]: 'true', 'reroll.dev/job-policy': 'now' } },
    says: [
      [
        'bad-choice',
        'Job shop/web: annotation reroll.dev/job-policy="now" is not a choice and has no effect; use one of run-now, next-run, never',
      ],
    ],
  },
  {
    title: 'an unknown policy of a CronJob',
    applied: { kind: 'CronJob', metadata: { [keys.auto]: 'true', 'reroll.dev/cronjob-policy': 'Never' } },
    says: [
      [
        'bad-choice',
        'CronJob shop/web: annotation reroll.dev/cronjob-policy="Never" is not a choice and has no effect; use one of run-now, next-run, never',
      ],
    ],
  },
  {
    title: 'an unknown strategy of a Rollout',
    applied: { kind: 'Rollout', metadata: { [keys.auto]: 'true', [keys.rolloutStrategy]: 'Restart' } },
    says: [
      [
        'bad-choice',
        'Rollout shop/web: annotation reloader.stakater.com/rollout-strategy="Restart" is not a choice and counts as "rollout"; use rollout or restart',
      ],
    ],
  },
  {
    title: 'a list of keys that is a regular expression',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/keys': '(app|log).yaml' } },
    says: [
      [
        'bad-keys',
        'Deployment shop/web: annotation reroll.dev/keys="(app|log).yaml" is not a list of keys, so every key counts: an element is neither a name nor a pattern; write such as "app.yaml, *.json, !comment.*"',
      ],
    ],
  },
  {
    title: 'a comparison, which belongs on the source',
    applied: { metadata: { [keys.auto]: 'true', 'reroll.dev/compare': 'parsed' } },
    says: [
      [
        'wrong-place',
        'Deployment shop/web: annotation reroll.dev/compare="parsed" counts on a source only and has no effect here; move it to the source',
      ],
    ],
  },
  {
    title: 'match, which belongs on the source',
    applied: { metadata: { [keys.auto]: 'true', [keys.match]: 'true' } },
    says: [
      [
        'narrows-nothing',
        'Deployment shop/web: annotation reloader.stakater.com/match="true" names no kinds of sources and has no effect; write "configmap", "secret" or "configmap|secret", or put it on the source and use reloader.stakater.com/search here',
      ],
    ],
  },
  {
    title: 'unknown kinds',
    applied: { metadata: { [keys.auto]: 'true', [keys.kind]: 'ConfigMap' } },
    says: [
      [
        'narrows-nothing',
        'Deployment shop/web: annotation reloader.stakater.com/kind="ConfigMap" names no kinds of sources and has no effect; write "configmap", "secret" or "configmap|secret"',
      ],
    ],
  },
  {
    title: 'kinds that leave nothing',
    applied: { metadata: { [keys.auto]: 'true', [keys.match]: 'configmap', [keys.kind]: 'secret' } },
    says: [
      [
        'narrowed-out',
        'Deployment shop/web: annotation reloader.stakater.com/kind="secret" leaves no kind of source, together with reloader.stakater.com/match: nothing restarts the workload; remove one of the two',
      ],
    ],
  },
  {
    title: 'kinds that leave nothing for a switch',
    applied: { metadata: { [keys.configMapAuto]: 'true', [keys.match]: 'configmap', [keys.kind]: 'secret' } },
    says: [
      [
        'narrowed-out',
        'Deployment shop/web: annotation reloader.stakater.com/kind="secret" leaves no kind of source, together with reloader.stakater.com/match: nothing restarts the workload; remove one of the two',
      ],
    ],
  },
  {
    title: 'a long value, which is cut to keep the fix',
    applied: { metadata: { [keys.auto]: 'x'.repeat(5_000) } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web: annotation reloader.stakater.com/auto="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'a long name, for which the value is cut',
    applied: { name: `web-${'x'.repeat(100)}`, metadata: { [keys.auto]: 'y'.repeat(5_000) } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/web-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: annotation reloader.stakater.com/auto="yyyyyyyyyyyyyyyyyyyyyyyyyyy…" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
  {
    title: 'an object that has no name yet',
    applied: { name: '', metadata: { [keys.auto]: 'yes' } },
    says: [
      [
        'bad-boolean',
        'Deployment shop/(not named yet): annotation reloader.stakater.com/auto="yes" is not a boolean and counts as "false"; write "true" or "false"',
      ],
    ],
  },
];
