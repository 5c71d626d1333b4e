import { stringify } from 'yaml';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { auto } from '../engine/situations.fixture';
import type { ExitCode } from './cli-cluster';
import { ownNamespaceOf } from './installs';

/** A question that is put to the cluster of all situations. */
export interface CommandRow {
  readonly what: string;
  /** `namespace` tells where a situation is planted. */
  readonly args: (namespace: (what: string) => string) => readonly string[];
  readonly input?: (namespace: (what: string) => string) => string;
  readonly expected: RegExp;
  /** For somebody who may not ask the leader, if that makes a difference. */
  readonly notAlike?: RegExp;
  /** 0 by default. */
  readonly code?: ExitCode;
}

const main = ['--reroll-namespace', ownNamespaceOf('main')];
const nothing = 'nothing has happened';
const yaml = (...objects: readonly object[]): string => objects.map((object) => `${stringify(object)}---\n`).join('');
const waved = deployment({
  ...{ name: 'web', envFrom: [fromConfigMap('app')] },
  annotations: { 'wave.pusher.com/update-on-config-change': 'true' },
});

/** The other subcommands: a row is a question. */
export const commandRows: readonly CommandRow[] = [
  {
    what: 'status shows the workloads of a namespace',
    args: (namespace) => ['status', ...main, '-n', namespace(nothing)],
    expected: /^deployment\/web +in-step/m,
    notAlike: /^deployment\/web +unknown/m,
  },
  {
    what: 'status shows a pause',
    args: (namespace) => ['status', ...main, '-n', namespace('Reroll holds it paused')],
    expected: /^deployment\/web +waiting +pause +in \d minutes/m,
  },
  {
    what: 'status shows all namespaces, and ends with 1 if something is blocked',
    args: () => ['status', ...main, '-A'],
    expected: /^NAMESPACE +WORKLOAD[^]*^situation-\d+ +cronjob\/web/m,
    code: { asker: 1, reader: 0 },
  },
  {
    what: 'status of a namespace without workloads is empty',
    args: () => ['status', ...main, '-n', 'default'],
    expected: /^no workload in namespace default asks for restarts\n$/,
  },
  {
    what: 'users shows who uses a source',
    args: (namespace) => ['users', 'configmap/app', ...main, '-n', namespace(nothing)],
    expected: /restarts 1 of 1 workload that asks for restarts and uses it: deployment\/web\n/,
  },
  {
    what: 'users shows an exclusion',
    args: (namespace) => ['users', 'cm/app', ...main, '-n', namespace('the source is excluded')],
    expected:
      /restarts 0 of 1 workload that asks for restarts and uses it\n[^]*configmaps\.exclude\.reloader\.stakater\.com\/reload/,
  },
  {
    what: 'users ends with 1 for a source that is not there',
    args: (namespace) => ['users', 'secret/none', ...main, '-n', namespace(nothing)],
    expected: /^there is no Secret /,
    code: 1,
  },
  {
    what: 'history shows what was restarted, and how it ended',
    args: (namespace) => ['history', ...main, '-n', namespace('it was restarted')],
    expected:
      /^\d+\w+ +deployment\/web +healthy +[0-9a-f]{8} +ConfigMap app: color\n\n1 restart in namespace situation-\d+ in the last 24h: 1 healthy\n$/m,
  },
  {
    what: 'history ends with 1 if a restart was refused',
    args: (namespace) => ['history', ...main, '-n', namespace('a policy of the API server refuses the restart')],
    expected: /^\d+\w+ +deployment\/web +failed: KUBE_\w+ +[0-9a-f]{8} +ConfigMap app: color$/m,
    code: 1,
  },
  {
    what: 'history of a workload that Reroll has not restarted is empty',
    args: (namespace) => ['history', 'deployment/web', ...main, '-n', namespace(nothing)],
    expected: /^no restart of deployment\/web in namespace situation-\d+ in the last 24h\n$/,
  },
  {
    what: 'check looks at the parts of an install',
    args: () => ['check', ...main],
    expected:
      /^ok +lease +reroll-0 leads, renewed [^;\n]*$[^]*^ok +engine +acting, [^]*^ok +watches +all \d+ watches follow$[^]*^unknown +registrations +you may not list /m,
    notAlike:
      /^ok +lease +reroll-0 leads, [^]*^unknown +engine +the leader was not asked: you may not get pods\/portforward [^]*^unknown +watches +the leader was not asked$/m,
  },
  {
    what: 'check ends with 1 for a warning, if it is strict',
    args: () => ['check', '--strict', ...main],
    expected: /^warning +replicas +Deployment reroll has 0 replicas/m,
    code: 1,
  },
  {
    what: 'check finds that nobody leads',
    args: () => ['check', '--reroll-namespace', ownNamespaceOf('gone')],
    expected: /^failed +lease +nobody leads: somebody who is gone renewed Lease reroll-gone\/reroll /m,
    code: 1,
  },
  {
    what: 'completion prints the script of a shell',
    args: () => ['completion', 'bash'],
    expected: /^# Completion of reroll\. [^]*^complete .*\breroll$/m,
  },
  {
    what: 'completion knows the names in a namespace',
    args: (namespace) => ['__complete', 'why', '-n', namespace(nothing), 'deployment/'],
    expected: /^deployment\/web\n:\d\n$/,
  },
  {
    what: 'preview shows what an edit would restart',
    args: (namespace) => ['preview', 'cm/app', '--set', 'color=green', ...main, '-n', namespace(nothing)],
    expected:
      /^would restart 1 of 1 workload that asks for restarts and uses ConfigMap situation-\d+\/app: deployment\/web\n/,
  },
  {
    what: 'preview knows a value that is there already',
    args: (namespace) => ['preview', 'cm/app', '--set', 'color=red', ...main, '-n', namespace(nothing)],
    expected: /^would restart nothing: ConfigMap situation-\d+\/app is the same already\n/,
  },
  {
    what: 'preview shows what manifests would restart, and what rolls out anyway',
    args: (namespace) => ['preview', '-f', '-', ...main, '-n', namespace(nothing)],
    input: (namespace) => {
      const within = { namespace: namespace(nothing), annotations: auto, envFrom: [fromConfigMap('app')] };
      return yaml(
        configMap({ name: 'app', namespace: within.namespace, data: { color: 'green', size: 'small' } }),
        deployment({ ...within, name: 'web', image: 'app:9' }),
      );
    },
    expected:
      /^would restart 0 of 1 workload that asks for restarts and uses ConfigMap .*; 1 rolls out anyway: deployment\/web\n/,
  },
  {
    what: 'preview finds nothing in the manifests that are there',
    args: (namespace) => ['preview', '-f', '-', ...main, '-n', namespace(nothing)],
    input: (namespace) =>
      yaml(configMap({ name: 'app', namespace: namespace(nothing), data: { color: 'red', size: 'small' } })),
    expected: /^would restart nothing: ConfigMap situation-\d+\/app is the same already\n/,
  },
  {
    what: 'status shows a hold',
    args: (namespace) => ['status', ...main, '-o', 'wide', '-n', namespace('it is held')],
    expected: /^deployment\/web +waiting +hold +.* reroll\.dev\/hold on the workload: audit\n[^]*; 1 held\n$/m,
    notAlike: /^deployment\/web +unknown/m,
  },
  {
    what: 'users shows that a change would wait',
    args: (namespace) => ['users', 'cm/app', ...main, '-n', namespace('it is held')],
    expected:
      /restarts 1 of 1 workload that asks for restarts and uses it, later: deployment\/web\n[^]* held by reroll\.dev\/hold on the workload: audit\n$/,
  },
  {
    what: 'preview shows that a restart would wait',
    args: (namespace) => {
      const where = [...main, '-n', namespace('its namespace is held')];
      return ['preview', 'cm/app', '--set', 'color=green', ...where];
    },
    expected:
      /^would restart 1 of 1 workload that asks for restarts and uses ConfigMap situation-\d+\/app, later: deployment\/web\n/,
  },
  {
    what: 'pause holds a workload',
    args: (namespace) => {
      const where = [...main, '-n', namespace(nothing)];
      return ['pause', 'deployment/web', '--for', '2h', '--because', 'audit', ...where];
    },
    expected: /^Deployment situation-\d+\/web is held until .*Z \(in (2 hours|1 hour)\): audit\n/,
  },
  {
    what: 'resume lets it go',
    args: (namespace) => ['resume', 'deployment/web', ...main, '-n', namespace(nothing)],
    expected: /^Deployment situation-\d+\/web is not held any more\n$/,
  },
  {
    what: 'resume says what still holds, and ends with 1',
    args: (namespace) => ['resume', 'deployment/web', ...main, '-n', namespace('its namespace is held')],
    expected:
      /^Deployment .* has no hold of its own, but it is still held by reroll\.dev\/hold on namespace situation-\d+\nend that with: reroll resume namespace\/situation-\d+, or /,
    code: 1,
  },
  {
    what: 'pause holds a Secret, and does not show it',
    args: (namespace) => {
      const where = [...main, '-n', namespace('it has switched off all but a list')];
      return ['pause', 'secret/db', '-o', 'yaml', ...where];
    },
    expected: /^v: 1\nkind: Secret\n(?![^]*data)/,
  },
  {
    what: 'pause of something that is not there ends with 1',
    args: (namespace) => ['pause', 'deployment/none', ...main, '-n', namespace(nothing)],
    expected: /^there is no Deployment situation-\d+\/none\n$/,
    code: 1,
  },
  {
    what: 'pause does not take a time that is over',
    args: (namespace) => ['pause', 'deployment/web', '--until=2020-01-01T00:00:00Z', ...main, '-n', namespace(nothing)],
    expected: /^$/,
    code: 2,
  },
  {
    what: 'rollback shows which keys it would put back',
    args: (namespace) => ['rollback', 'cm/app', '--dry-run', ...main, '-n', namespace('a content is kept')],
    expected:
      /^ConfigMap situation-\d+\/app would have the content that was kept\ncontent of change [0-9a-f]{8}, kept at .*Z\nchanged: color\n/,
    notAlike: /^ConfigMap situation-\d+\/app has the content that was kept last\n$/,
    code: { asker: 0, reader: 1 },
  },
  {
    what: 'rollback changes nothing if nobody is there to be asked',
    args: (namespace) => ['rollback', 'cm/app', ...main, '-n', namespace('a content is kept')],
    expected: /^ConfigMap [a-z0-9-]+\/[a-z]+ was left as it is: nobody is there to ask, so use --yes\n$/,
    notAlike: /^ConfigMap situation-\d+\/app has the content that was kept last\n$/,
    code: 1,
  },
  {
    what: 'rollback puts back what was kept, and has nothing to do for the next who asks',
    args: (namespace) => ['rollback', 'cm/app', '--yes', ...main, '-n', namespace('a content is kept')],
    expected: /^ConfigMap situation-\d+\/app has the content that was kept\ncontent of change [0-9a-f]{8}, /,
    notAlike: /^ConfigMap situation-\d+\/app has the content that was kept last\n$/,
    code: { asker: 0, reader: 1 },
  },
  {
    what: 'rollback says what has a content kept, and ends with 1',
    args: (namespace) => ['rollback', 'cm/app', '--yes', ...main, '-n', namespace(nothing)],
    expected: /^no content of ConfigMap situation-\d+\/app is kept: .* reroll\.dev\/on-failure: keep, /,
    code: 1,
  },
  {
    what: 'pause holds everything',
    args: () => ['pause', '--all', '--because', 'incident 42', ...main],
    expected: /^everything is held: incident 42\n/,
  },
  {
    what: 'status says that everything is held',
    args: (namespace) => ['status', ...main, '-n', namespace(nothing)],
    expected:
      /^everything is held by ConfigMap reroll-main\/reroll-hold: incident 42 \(reroll resume --all ends it\)\n/,
  },
  {
    what: 'resume lets everything go',
    args: () => ['resume', '--all', ...main],
    expected: /^not everything is held any more: ConfigMap reroll-main\/reroll-hold is deleted\n/,
  },
  {
    what: 'lint finds a mistake',
    args: () => ['lint', '-f', '-'],
    input: () => yaml(deployment({ name: 'web', annotations: { 'reloader.stakater.com/atuo': 'true' } })),
    expected: /reloader\.stakater\.com\/atuo/,
    code: 1,
  },
  {
    what: 'migrate finds what to write',
    args: () => ['migrate', '-f', '-'],
    input: () => yaml(waved),
    expected: /\(wave-opt-in\)\n/,
    code: 1,
  },
  {
    what: 'migrate reads the cluster',
    args: () => ['migrate', '-A'],
    expected: /^Job situation-\d+\/web \(reloader-job\)$/m,
    code: 1,
  },
  {
    what: 'migrate reads a namespace, and finds nothing to do',
    args: (namespace) => ['migrate', '-n', namespace(nothing)],
    expected: /^no findings, nothing to do for 1 of 1 workload: 1 object in the cluster\n$/,
  },
];
