import type {
  defaultAnnotationKeys,
  gateAnnotations,
  ownAnnotations,
  sourceAnnotations,
} from '../../shared/domain/annotations/annotations';
import { lastReloadedFrom, restartedAt } from '../../shared/domain/annotations/annotations';
import { compareModes, failureModes, restartModes } from '../../shared/domain/gate-settings/gate-settings';
import { checkModes } from '../../shared/domain/content-check/check-settings';
import { runPolicies, strategyNames } from '../../shared/domain/workloads/workload-settings';

/** Where an annotation counts. */
export type Place = 'workload' | 'pod template' | 'source' | 'namespace';

/** What people must know to write an annotation. */
export interface AnnotationFact {
  readonly where: readonly Place[];
  /** As Markdown. */
  readonly values: string;
  /** What applies without the annotation. */
  readonly otherwise: string;
  readonly meaning: string;
}

type Facts<Keys> = Readonly<Record<keyof Keys, AnnotationFact>>;

const codes = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

/** The booleans that Go reads, as Reloader does. */
const goBooleans = '`true`, `false`';
const exactly = 'exactly `true`';
const onBoth = ['workload', 'pod template'] as const;

function auto(meaning: string): AnnotationFact {
  return { where: onBoth, values: goBooleans, otherwise: 'off, or as `--auto-reload-all`', meaning };
}

function list(sources: string): AnnotationFact {
  const meaning = `restart for these ${sources}, used or not`;
  return { where: onBoth, values: 'names and RE2 patterns, with commas', otherwise: 'none', meaning };
}

function exclude(sources: string): AnnotationFact {
  const values = 'exact names, with commas';
  return { where: ['workload'], values, otherwise: 'none', meaning: `never restart for these ${sources}` };
}

/** Reloader's annotations, by their names in the code. */
export const reloaderFacts: Facts<typeof defaultAnnotationKeys> = {
  auto: auto('restart for every source that the pod template uses'),
  configMapAuto: auto('the same for ConfigMaps'),
  secretAuto: auto('the same for Secrets'),
  secretProviderClassAuto: auto('the same for SecretProviderClasses'),
  configMapReload: list('ConfigMaps'),
  secretReload: list('Secrets'),
  secretProviderClassReload: list('SecretProviderClasses'),
  search: {
    where: onBoth,
    values: exactly,
    otherwise: 'off',
    meaning: 'restart for the sources that it uses and that have the annotation `match`',
  },
  match: {
    where: ['source', ...onBoth],
    values: `on a source ${exactly}; on a workload as \`kind\``,
    otherwise: 'off',
    meaning:
      'on a source: restarts the workloads that use it and have `search`; on a workload: another way to write `kind`',
  },
  kind: {
    where: onBoth,
    values: '`configmap`, `secret`, `configmap|secret`',
    otherwise: 'all kinds',
    meaning: 'only sources of these kinds restart it, whatever other annotations or flags say',
  },
  ignore: { where: ['source'], values: exactly, otherwise: 'off', meaning: 'restarts nothing' },
  configMapExclude: exclude('ConfigMaps'),
  secretExclude: exclude('Secrets'),
  secretProviderClassExclude: exclude('SecretProviderClasses'),
  rolloutStrategy: {
    where: ['workload'],
    values: '`restart`, `rollout`',
    otherwise: '`rollout`',
    meaning: 'for an Argo Rollout: restart its pods, or roll out a new revision',
  },
  pausePeriod: {
    where: ['workload'],
    values: 'a Go duration such as `5m`',
    otherwise: 'not paused',
    meaning:
      'for a Deployment: pause it for this time with the restart for a change, so that all changes in that time are one rollout',
  },
  pausedAt: {
    where: ['workload'],
    values: 'a time',
    otherwise: '',
    meaning: 'when Reroll paused the Deployment; Reroll writes and removes it',
  },
};

const runPolicy = { where: ['workload'], values: codes(runPolicies), otherwise: '`run-now`' } as const;

/** Reroll's own annotations on a workload. */
export const ownFacts: Facts<typeof ownAnnotations> = {
  baseline: {
    where: ['workload'],
    values: '',
    otherwise: '',
    meaning: 'keyed digests of the contents that its pods run with; Reroll writes it',
  },
  lastRestart: {
    where: ['workload'],
    values: '',
    otherwise: '',
    meaning: 'when it was last restarted, for which sources and keys, and who changed them; Reroll writes it',
  },
  strategy: {
    where: ['workload'],
    values: codes(strategyNames),
    otherwise: '`--reload-strategy`',
    meaning: 'how the pod template is changed',
  },
  settle: {
    where: ['workload'],
    values: 'a Go duration, at most `1h`',
    otherwise: '`--settle`',
    meaning: 'how long its sources must be unchanged before the restart',
  },
  settleMax: {
    where: ['workload'],
    values: 'a Go duration, at most `1h`',
    otherwise: '`--settle-max`, or the settle time if that is longer',
    meaning: 'the longest wait',
  },
  jobPolicy: {
    ...runPolicy,
    meaning: 'for a Job: recreate it, leave the change to its next run, or do not track it',
  },
  cronJobPolicy: {
    ...runPolicy,
    meaning: 'for a CronJob: run it at once, leave the change to its next run, or do not track it',
  },
  lint: {
    where: ['workload', 'source'],
    values: '`on`, `off`',
    otherwise: '`on`',
    meaning: '`off`: the webhook does not warn about mistakes in the annotations of this object',
  },
};

const anywhere = ['workload', 'source', 'namespace'] as const;

/** Reroll's annotations about when restarts may begin, and for which changes. */
export const gateFacts: Facts<typeof gateAnnotations> = {
  hold: {
    where: anywhere,
    values: '`true`, `false`, `until=` a time as in RFC 3339, `because=` a text, or both with a comma',
    otherwise: 'none',
    meaning: '[hold](../holding.md) restarts; `false`: do not, whatever is set further away',
  },
  restart: {
    where: anywhere,
    values: codes(restartModes),
    otherwise: '`--restart`',
    meaning:
      '`next-rollout`: [restart nothing](../windows.md#with-the-next-rollout), and leave the change to the next rollout',
  },
  windows: {
    where: anywhere,
    values:
      '[windows](../windows.md#how-windows-are-written) such as `Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun`, or `always`',
    otherwise: '`--restart-windows`',
    meaning: 'begin restarts only in these windows',
  },
  minInterval: {
    where: anywhere,
    values: 'a Go duration, at most `720h`, or `0` for none',
    otherwise: '`--min-interval`',
    meaning: '[leave at least this time](../windows.md#not-too-often) between two restarts of one workload',
  },
  urgent: {
    where: ['source'],
    values: '`true`, `false`',
    otherwise: '`false`',
    meaning: 'a change of it [waits for no window and no interval](../windows.md#urgent-changes)',
  },
  maxRolling: {
    where: ['source', 'namespace'],
    values: 'a number of workloads such as `5`, or of pods such as `20 pods`; `0` or `off` for no limit',
    otherwise: 'on a namespace `--max-rolling-per-namespace`, on a source no limit',
    meaning:
      'at most so many workloads of the namespace, or users of the source, [roll out at once](../pace.md#how-many-at-once)',
  },
  wave: {
    where: ['workload'],
    values: 'a whole number such as `10` or `-1`',
    otherwise: '`0`',
    meaning: 'among the users of a changed source, restart [after all of lower waves](../pace.md#waves)',
  },
  after: {
    where: ['workload'],
    values: 'kinds and names such as `deployment/db, statefulset/cache`, at most 20',
    otherwise: 'none',
    meaning: 'restart [after these workloads](../pace.md#after-others) of the same namespace',
  },
  canary: {
    where: ['workload'],
    values: '`true` or `false`',
    otherwise: '`false`',
    meaning: 'restart [first of all users of a source](../health.md#who-goes-first)',
  },
  healthyUrl: {
    where: ['workload'],
    values: 'the URL of a Service of its namespace, such as `http://web:8080/healthz`',
    otherwise: 'none',
    meaning:
      'with `--healthy-urls`: if it restarts first, it is healthy [only while this answers with 2xx](../health.md#checks-of-your-own)',
  },
  healthyQuery: {
    where: ['workload'],
    values: 'a query in PromQL, at most 1000 characters',
    otherwise: 'none',
    meaning:
      'with `--prometheus-url`: if it restarts first, it is healthy [only while this has a result](../health.md#checks-of-your-own)',
  },
  stages: {
    where: ['workload', 'source', 'namespace'],
    values: '`on` or `off`',
    otherwise: 'by the number of users, `--stages-from`',
    meaning: 'restart [one user of the source first, then a tenth, then the rest](../health.md), or all at once',
  },
  resumed: {
    where: ['source'],
    values: 'the id of a change, as `reroll resume` writes it',
    otherwise: 'none',
    meaning: 'restart the other users [although one that went first is not healthy](../health.md#going-on)',
  },
  onFailure: {
    where: ['source', 'namespace'],
    values: codes(failureModes),
    otherwise: '`stop`',
    meaning:
      'with `--rollback`, when those that restart first are not healthy: [keep the last content that worked](../rollback.md), or also put it back',
  },
  rolledBack: {
    where: ['source'],
    values: 'ids of changes, as Reroll and `reroll rollback` write them',
    otherwise: 'none',
    meaning: 'restart nothing for a content that was [put back before](../rollback.md#a-tool-that-writes-it-again)',
  },
  keys: {
    where: ['workload', 'source'],
    values: 'names and patterns of keys such as `app.yaml, *.json, !comment.*`',
    otherwise: 'every key that the workload uses',
    meaning: 'only changes of [these keys count](../what-counts.md#keys)',
  },
  compare: {
    where: ['source'],
    values: codes(compareModes),
    otherwise: '`bytes`',
    meaning: '`parsed`: [white space, comments and the order of keys](../what-counts.md#parsed) do not count',
  },
};

/** Reroll's own annotations on a ConfigMap or Secret. Only the webhook reads them. */
export const sourceFacts: Facts<typeof sourceAnnotations> = {
  preview: {
    where: ['source'],
    values: '`off`',
    otherwise: 'on',
    meaning: '`off`: the webhook does not tell the author of a change what it restarts',
  },
  validate: {
    where: ['source'],
    values: codes([...checkModes, 'off']),
    otherwise: 'as `--validate-namespaces`; `warn` beside one of the next three',
    meaning: 'values must parse in the format of their key; otherwise the webhook warns, or denies the write',
  },
  schema: {
    where: ['source'],
    values: '`[key=]configmap[/key]`, with commas',
    otherwise: 'none',
    meaning:
      'values must match a JSON Schema in a ConfigMap of the same namespace, which is annotated `reroll.dev/is-schema`',
  },
  requiredKeys: {
    where: ['source'],
    values: 'names of keys, with commas',
    otherwise: 'none',
    meaning: 'these keys must be present',
  },
  maxBytes: {
    where: ['source'],
    values: 'bytes such as `65536`, `64Ki`, `1Mi`',
    otherwise: 'no limit',
    meaning: 'the largest total size of the content',
  },
  isSchema: {
    where: ['source'],
    values: exactly,
    otherwise: 'off',
    meaning:
      'on a ConfigMap: `reroll.dev/schema` may name it; anybody who may write sources in its namespace can then find out its content',
  },
};

/** The annotations that a restart leaves on a pod template. */
export const markers: readonly (readonly [key: string, meaning: string])[] = [
  [lastReloadedFrom, 'by the strategy `annotations`, as Reloader does'],
  [restartedAt, 'by the strategy `restarted-at`, as `kubectl rollout restart` does'],
];
