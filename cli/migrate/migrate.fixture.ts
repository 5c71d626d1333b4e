import { parse, stringify } from 'yaml';
import { annotationsOf } from '../../shared/domain/annotations/annotations';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { decide } from '../../shared/domain/policy/policy';
import { parsePolicy } from '../../shared/domain/policy/policy-annotations';
import { references } from '../../shared/domain/sources/references';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { Files } from '../manifests/files';
import { runManifestCommand, type TestWorld } from '../manifests/manifests.fixture';
import type { ManifestWorld } from '../manifests/manifest-command';
import { migrateCommandIn } from './migrate-command';
import { migrateInputs } from './migrate-inputs';
import { parseMigrateOptions } from './migrate-options';
import type { MigrateReport, ReportedDifference } from './migrate-report';
import type { MigrateWorld } from './migrate-world';

/** The report about the manifests in one file. */
export function migrate(manifests: readonly string[], flags: readonly string[] = []): MigrateReport {
  const text = manifests.join('---\n');
  return migrateInputs(
    { inputs: [{ file: 'a.yaml', text }], problems: [] },
    parseMigrateOptions(['-f', '-', ...flags], {}),
  );
}

/** Runs `reroll migrate` with these files, where `-` is standard input, or with this cluster. */
export async function runMigrate(
  args: readonly string[],
  files: Files,
  world?: TestWorld,
  connect: MigrateWorld['connect'] = () => Promise.reject(new Error('connected')),
  clock: Clock = new FakeClock(),
) {
  const loadIn = (of: ManifestWorld) => migrateCommandIn({ ...of, clock, isErrorTerminal: true, connect });
  return await runManifestCommand({ name: 'migrate', summary: 'Migrates.', loadIn }, args, files, world);
}

/** Does to a manifest what a finding says: writes and removes its lines where it says. */
export function edited(manifest: string, { edits }: Pick<ReportedDifference, 'edits'>): string {
  const object: unknown = parse(manifest);
  for (const { action, under, line } of edits) {
    const parent = fieldAt(object, under.split('.'));
    if (typeof parent !== 'object' || parent === null) throw new Error(`there is no ${under}`);
    if (Array.isArray(parent)) parent.splice(parent.indexOf(line.replace(/^- /, '')), 1);
    else if (action === 'write') Object.assign(parent, parse(line));
    else if (!Reflect.has(parent, line)) throw new Error(`there is no ${line} under ${under}`);
    else Reflect.deleteProperty(parent, line);
  }
  return stringify(object);
}

/** Whether a change of a source that does not match a search restarts the workload in a manifest, as the engine decides. */
export function restartsIn(manifest: string, kind: WorkloadKindName, flags: readonly string[]) {
  const { settings } = parseMigrateOptions(['-f', '-', ...flags], {});
  const { templatePath } = workloadKind(kind);
  const object: unknown = parse(manifest);
  const [metadata, template] = [object, fieldAt(object, templatePath)].map(annotationsOf);
  const { policy } = parsePolicy(metadata ?? {}, template ?? {}, settings.keys);
  const used = references(objectOf(fieldAt(object, [...templatePath, 'spec'])));
  return (sourceKind: SourceKind, name: string): boolean => {
    const source = { kind: sourceKind, name, ignore: false, match: false };
    const { restart, onlyIfReferenced } = decide(policy, kind, source, settings.policy);
    return restart && (!onlyIfReferenced || used.some((each) => each.kind === sourceKind && each.name === name));
  };
}
