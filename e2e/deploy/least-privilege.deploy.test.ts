import { describe, expect, it } from '@jest/globals';
import { textOf } from '../docs/pages';
import { renderChart, type Manifest, type Values } from './rendered-chart';

interface Rule {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const everything = {
  isOpenshift: true,
  enableCSIIntegration: true,
  healthyUrls: true,
  metaInfo: true,
  namespaceSelector: 'env=prod',
  rollback: true,
};

/** `secrets reroll-certs: get, list`, sorted. The name `reroll` is left out: registrations have it from the release. */
function rights(manifests: readonly Manifest[], ...roles: readonly string[]): readonly string[] {
  const rules = manifests
    .filter(({ kind, metadata }) => roles.includes(`${kind} ${metadata.name}`))
    .flatMap((role) => role['rules'] as readonly Rule[]);
  return rules
    .flatMap(({ resources, resourceNames = [''], verbs }) =>
      resources.flatMap((resource) => resourceNames.map((name) => right(resource, name, verbs))),
    )
    .toSorted();
}

function right(resource: string, name: string, verbs: readonly string[]): string {
  const named = name === '' || name === 'reroll' ? resource : `${resource} ${name}`;
  return `${named}: ${[...verbs].toSorted().join(', ')}`;
}

const page = textOf('docs/least-privilege.md');

/** The cells of the table that follows this text on the page, by row. */
function table(after: string): readonly (readonly string[])[] {
  const [, text = ''] = page.split(after);
  const rows = text.trimStart().slice(text.trimStart().indexOf('| ---')).split('\n\n')[0]!.split('\n');
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function told(rows: readonly (readonly string[])[]): readonly string[] {
  return rows
    .flatMap(([resources = '', verbs = '']) =>
      resources.split(', ').flatMap((resource) => {
        const [kind = '', ...names] = resource.replaceAll('`', '').split(' ');
        return expanded(names).map((name) => right(kind.split('.')[0]!, name, verbs.split(', ')));
      }),
    )
    .toSorted();
}

/** The names of `reroll-history-0 to -7`, or the one name. */
function expanded([first = '', to, last]: readonly string[]): readonly string[] {
  if (to !== 'to') return [first];
  return Array.from({ length: Math.abs(Number(last)) + 1 }, (_, index) => first.replace(/\d+$/, String(index)));
}

const watched = table('(Roles):\n');

describe('docs/least-privilege.md tells the rights that the chart gives', () => {
  it.each([
    ['the reconciler, to what it watches', watched, ['ClusterRole reroll']],
    ['the reconciler, in its own namespace', table('(Role):\n'), ['Role reroll-own']],
    ['the webhook', table('## The webhook\n'), ['Role reroll-webhook', 'ClusterRole reroll-webhook-schemas']],
    ['reroll certs', table('Only with `webhook.enabled`:\n'), ['Role reroll-certs', 'ClusterRole reroll-certs']],
  ])('%s', async (_who, rows, roles) => {
    expect(told(rows)).toEqual(rights(await renderChart({ reloader: everything }), ...roles));
  });
});

describe('by what is switched on', () => {
  const unless = watched.flatMap(([resources = '', verbs = '', condition = '']) => {
    const [, not, name, written] = /^(not )?with `reloader\.(\w+)(?:=(\w+))?`(?! only create)/.exec(condition) ?? [];
    if (name === undefined) return [];
    const off = not === undefined ? undefined : written !== 'false';
    return [[right(resources.split(/[ .,]/)[0]!, '', verbs.split(', ')), name, off] as const];
  });

  it('is told of most', () => {
    expect(unless.length).toBeGreaterThan(6);
  });

  it.each(unless)('%s, by reloader.%s', async (granted, name, off) => {
    // YAML has no undefined: a value that switches on by being set is left out.
    const manifests = await renderChart({ reloader: { ...everything, [name]: off } });
    expect(rights(manifests, 'ClusterRole reroll')).not.toContain(granted);
  });

  it('Jobs: to create them for CronJobs, or nothing', async () => {
    const jobs = async (reloader: Values): Promise<readonly string[]> =>
      rights(await renderChart({ reloader }), 'ClusterRole reroll').filter((each) => each.startsWith('jobs'));
    expect(await jobs({ ignoreJobs: true })).toEqual(['jobs: create']);
    expect(await jobs({ ignoreJobs: true, ignoreCronJobs: true })).toEqual([]);
  });

  it('for some namespaces no ClusterRole but that for the registrations, by name, and none without a webhook', async () => {
    const reloader = { watchGlobally: false, namespaces: ['shop'] };
    const clusterRoles = async (values: Values): Promise<readonly Manifest[]> =>
      (await renderChart({ reloader, ...values })).filter(({ kind }) => kind === 'ClusterRole');
    expect(await clusterRoles({ webhook: { enabled: false } })).toEqual([]);
    const left = await clusterRoles({ certificates: { mode: 'certManager' } });
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['reroll-certs']);
    expect(rights(left, 'ClusterRole reroll-certs')).toEqual([
      'mutatingwebhookconfigurations: get, patch',
      'validatingwebhookconfigurations: get, patch',
    ]);
  });
});
