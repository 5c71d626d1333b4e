import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { shortKeys, truthTable, type TruthTableRow } from '../../shared/domain/policy/policy-truth-table.fixture';
import { csiVolume, secretProviderClass, secretProviderClassPodStatus } from '../apiserver/add-ons';
import { fromConfigMap, fromSecret, type WorkloadOptions } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import type { Place } from './place';
import type { Group, Spec } from './spec';
import { credentials, idle, settings, type IdleKind } from './workloads';

/** Replaces the short names of annotations with the full ones. */
function inFull(short: Readonly<Record<string, string>> = {}): Record<string, string> {
  const nameOf = new Map(
    Object.entries(shortKeys).map(([key, name]) => [name, defaultAnnotationKeys[key as keyof typeof shortKeys]]),
  );
  return Object.fromEntries(Object.entries(short).map(([name, value]) => [nameOf.get(name) ?? name, value]));
}

interface Source {
  readonly objects: readonly ObjectInput[];
  readonly use: Pick<WorkloadOptions, 'envFrom' | 'volumes' | 'volumeMounts'>;
  readonly change: (place: Place) => Promise<void>;
}

function sourceOf({ changed: [type, name], resource }: TruthTableRow): Source {
  const annotations = inFull(resource);
  switch (type) {
    case 'CM': {
      // The table has a name with a capital letter, which a ConfigMap cannot have.
      const lower = name.toLowerCase();
      const change = async (place: Place): Promise<void> => await place.edit('ConfigMap', lower);
      return { objects: [settings(lower, { annotations })], use: { envFrom: [fromConfigMap(lower)] }, change };
    }
    case 'Secret': {
      const change = async (place: Place): Promise<void> => await place.edit('Secret', name);
      return { objects: [credentials(name, { annotations })], use: { envFrom: [fromSecret(name)] }, change };
    }
    case 'SPC': {
      const objects = [secretProviderClass(name, annotations), secretProviderClassPodStatus('a', name, { pw: '1' })];
      return { objects, use: csiVolume(name), change: async (place) => await place.rotate('a', name) };
    }
  }
}

/** One workload that uses the source, and one that does not: only a named source restarts both. */
function specOf(row: TruthTableRow, kind: IdleKind): Spec {
  const { objects, use, change } = sourceOf(row);
  const options = { annotations: inFull(row.md), podAnnotations: inFull(row.pod) };
  const outcome = !row.reload ? 'no' : row.auto === true ? 'yes, if it uses it' : 'yes';
  const where = [row.resource && `source ${JSON.stringify(row.resource)}`, row.md && JSON.stringify(row.md)];
  const pod = row.pod && `template ${JSON.stringify(row.pod)}`;
  return {
    title: `§2.5 row ${String(row.n)} ${kind}: ${[row.changed.join(' '), ...where, pod].filter(Boolean).join(', ')}: ${outcome}`,
    objects: [...objects, idle[kind]({ name: 'uses', ...options, ...use }), idle[kind]({ name: 'other', ...options })],
    act: change,
    restarts: { [`${kind}/uses`]: row.reload ? 1 : 0, [`${kind}/other`]: row.reload && row.auto !== true ? 1 : 0 },
  };
}

/** All rows but 74: its source has no name, so it cannot exist. */
const rows = truthTable.filter(({ changed: [, name] }) => name !== '');
const plain = rows.filter(({ all, kind }) => all === undefined && kind === undefined);
const ofAll = rows.filter(({ all }) => all === true);
/** Rows with each way to opt in or out, for the kinds besides Deployment. */
const chosen = new Set([1, 3, 4, 11, 18, 21, 35, 38, 41, 47, 55, 61]);
const others = ['StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout'] as const;

/** §2: annotations and what they decide. Rows 67 and 68 are left out: the option parser rejects their flags. */
export const decisions: readonly Group[] = [
  {
    name: 'decisions',
    flags: ['--enable-csi-integration'],
    specs: [
      ...plain.map((row) => specOf(row, 'Deployment')),
      ...others.flatMap((kind) => plain.filter(({ n }) => chosen.has(n)).map((row) => specOf(row, kind))),
    ],
  },
  { name: 'all', flags: ['--auto-reload-all'], specs: ofAll.map((row) => specOf(row, 'Deployment')) },
  {
    name: 'ignored-jobs',
    flags: ['--ignored-workload-types=jobs'],
    specs: rows
      .filter(({ n }) => n === 65 || n === 66)
      .map((row) => specOf(row, row.kind === 'Job' ? 'Job' : 'CronJob')),
  },
];
