import { LeaderSilentError } from '../cluster/silence';
import { rows } from './check-rows.fixture';
import { holdsCheck } from './holds-check';
import type { TestInstall } from './install.fixture';
import { watchesCheck } from './watches-check';

const watch = { state: 'backing-off', listed: false, watching: false, problem: '403', refused: true } as const;
const namespaces = { ...watch, name: 'namespaces' };
const hold = { ...watch, name: 'configmap reroll-hold in reroll' };

const silent = (install: TestInstall): void => {
  install.silence = new LeaderSilentError('no-right', 'you may not get pods/portforward in namespace reroll');
};

function sees(...watches: TestInstall['health']['watches']): (install: TestInstall) => void {
  return (install) => (install.health = { ...install.health, watches: [...install.health.watches, ...watches] });
}

/** The ConfigMap, as somebody has created it two hours ago. */
function held(annotations: Readonly<Record<string, string>> = {}): (install: TestInstall) => void {
  return (install) => {
    const creationTimestamp = new Date(install.clock.nowMs() - 7_200_000).toISOString();
    const metadata = { name: 'reroll-hold', namespace: 'reroll', uid: 'u', resourceVersion: '1', creationTimestamp };
    install.objects.push({ kind: 'ConfigMap', metadata: { ...metadata, annotations } });
  };
}

const told = (install: TestInstall): void => {
  const hold = { bearer: 'ConfigMap reroll/reroll-hold', because: 'incident 42' };
  install.health = { ...install.health, hold };
};

rows(holdsCheck, [
  [
    'everything is held',
    (install) => [told, held()].forEach((spoil) => spoil(install)),
    'warning',
    /^no restart begins: everything is held by ConfigMap reroll\/reroll-hold: incident 42, set 2 hours ago$/,
    /^reroll resume --all, unless it is meant$/,
  ],
  [
    'everything is held, and the ConfigMap may not be read',
    (install) => {
      told(install);
      install.refused.add('get configmaps');
    },
    'warning',
    /incident 42$/,
  ],
  [
    'everything is held, and the leader is silent',
    (install) => [silent, held({ 'reroll.dev/hold': 'until=2026-01-03T00:00:00Z' })].forEach((spoil) => spoil(install)),
    'warning',
    /^no restart begins: everything is held until 2026-01-03T00:00:00Z \(in 2 days\) by .*, set 2 hours ago$/,
  ],
  [
    'a hold of everything is over, and the leader is silent',
    (install) => [silent, held({ 'reroll.dev/hold': 'until=2025-12-31T00:00:00Z' })].forEach((spoil) => spoil(install)),
    'ok',
    /^not everything is held$/,
  ],
  [
    'a repository owns a ConfigMap that holds nothing',
    (install) => [silent, held({ 'reroll.dev/hold': 'false' })].forEach((spoil) => spoil(install)),
    'ok',
    /^not everything is held$/,
  ],
  [
    'nobody may say',
    (install) => {
      silent(install);
      install.refused.add('get configmaps');
    },
    'unknown',
    /^you may not get configmaps in namespace reroll, so it is not known whether everything is held$/,
  ],
  [
    'the leader may not list namespaces',
    sees(namespaces),
    'warning',
    /^the leader may not list namespaces, so their annotations, such as holds, do not count$/,
    /rbac/,
  ],
  [
    'the leader may not list the ConfigMap',
    sees(hold),
    'warning',
    /^the leader may not list ConfigMap reroll\/reroll-hold, so 'reroll pause --all' has no effect$/,
    /rbac/,
  ],
  [
    'Reroll calls a URL instead',
    (install) => {
      told(install);
      install.containerOf('reroll').args.push('--webhook-url=http://ci');
    },
    'ok',
    /nothing is held$/,
  ],
]);

rows(watchesCheck, [
  ['holds may not be listed, which another check says', sees(namespaces, hold), 'ok', /^the watch follows$/],
  [
    'namespaces may not be listed, and a label selects some',
    (install) => {
      install.containerOf('reroll').args.push('--namespace-selector=env=prod');
      sees(namespaces)(install);
    },
    'failed',
    /^behind: namespaces \(403\)$/,
  ],
  [
    'holds are not listed yet',
    sees({ name: 'configmap reroll-hold in reroll', state: 'listing', listed: false, watching: false }),
    'failed',
    /^behind: configmap reroll-hold in reroll \(listing\)$/,
  ],
]);
