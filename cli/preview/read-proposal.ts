import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { printable } from '../../shared/domain/text/printable';
import { UsageError } from '../../shared/runtime/options/options';
import type { Random } from '../../shared/runtime/random';
import { withinTime } from '../../shared/runtime/time-limit';
import type { Cluster } from '../cluster/cluster';
import { readInstall, type Install } from '../evidence/install';
import type { Files } from '../manifests/files';
import { readInputs } from '../manifests/inputs';
import { errorLine } from '../manifests/manifest-command';
import { readManifestSet } from '../manifests/manifest-set';
import type { Manifest } from '../manifests/manifests';
import { editedSource, readNewContent } from './edited-source';
import { manifestChanges, sourceProblems } from './manifest-changes';
import { readManifestWorkloads } from './manifest-workloads';
import type { PreviewQuestion } from './preview-question';
import type { Proposal } from './read-preview';
import { SourceChanges } from './source-change';
import { unresolvedObject } from './unresolved';

interface Needed {
  readonly files: Files;
  readonly random: Random;
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
}

/** Reads what would change, and the flags of the install. @throws UsageError for what cannot be read; KubeError */
export async function readProposal(
  cluster: Cluster,
  question: PreviewQuestion,
  needed: Needed,
): Promise<{ readonly proposal: Proposal; readonly install: Install }> {
  const { files, random, rerollNamespace, timeoutMs } = needed;
  const { client, namespace } = cluster;
  const limits = { timeoutMs };
  const forms = await loadCanonicalForms(withinTime);
  if ('edit' in question) {
    const { edit } = question;
    const content = await readNewContent(edit, files);
    const install = await readInstall(client, rerollNamespace, limits);
    const changes = new SourceChanges(random, install.settings.keys, forms);
    const source = { kind: edit.kind, namespace, name: edit.name };
    const change = await editedSource(client, source, { edit, content }, changes, limits);
    return { proposal: { changes: [change], workloads: [], unresolved: [], missingRights: [] }, install };
  }
  const manifests = await readAll(question.filenames, files, namespace);
  const install = await readInstall(client, rerollNamespace, limits);
  const changes = new SourceChanges(random, install.settings.keys, forms);
  const [sources, workloads] = await Promise.all([
    manifestChanges(client, manifests, changes, limits),
    readManifestWorkloads(client, manifests, install, limits),
  ]);
  const unresolved = manifests.flatMap((manifest) => unresolvedObject(manifest) ?? []);
  return { proposal: { changes: sources, unresolved, ...workloads }, install };
}

/** An answer for a part of the manifests would mislead, so anything unreadable is an error. */
async function readAll(filenames: readonly string[], files: Files, namespace: string): Promise<readonly Manifest[]> {
  const { manifests, errors } = readManifestSet(await readInputs(filenames, files), namespace);
  const problems = [...errors, ...sourceProblems(manifests)];
  if (problems.length > 0) throw new UsageError(problems.map((problem) => printable(errorLine(problem))));
  return manifests;
}
