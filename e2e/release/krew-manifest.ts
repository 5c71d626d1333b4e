import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { archiveOf, bundledFiles } from './archive';

const template = 'deploy/krew/reroll.yaml';

const file = z.strictObject({ from: z.string().min(1), to: z.string().min(1) });
const requirement = z.strictObject({
  key: z.enum(['os', 'arch']),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string()).min(1).optional(),
});
const selector = z
  .strictObject({
    matchLabels: z.strictObject({ os: z.string().optional(), arch: z.string().optional() }).optional(),
    matchExpressions: z.array(requirement).min(1).optional(),
  })
  .refine(({ matchLabels, matchExpressions }) => matchLabels ?? matchExpressions, 'selects nothing');

const platform = z.strictObject({
  selector,
  uri: z.url({ protocol: /^https$/ }),
  sha256: z.string().regex(/^[a-f0-9]{64}$/, 'not a SHA-256 in lower-case hex'),
  bin: z.string().min(1),
  files: z.array(file).min(1).optional(),
});

/**
 * What krew reads, and what it and the reviewers of its index demand.
 *
 * @see https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
 */
const manifestSchema = z.strictObject({
  apiVersion: z.literal('krew.googlecontainertools.github.com/v1alpha2'),
  kind: z.literal('Plugin'),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/, 'not a name of a plugin') }),
  spec: z.strictObject({
    version: z.string().regex(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'not a version such as v1.2.3'),
    homepage: z.url({ protocol: /^https$/ }),
    shortDescription: z
      .string()
      .min(1)
      .max(50)
      .regex(/^[^\r\n]*[^\r\n.]$/, 'several lines, or a full stop'),
    description: z.string().min(1),
    caveats: z.string().min(1),
    platforms: z.array(platform).min(1),
  }),
});

/** The manifest of a version whose archive is this one. */
export function krewManifest(root: string, version: string, archive: Buffer): string {
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const text = readFileSync(path.join(root, template), 'utf8');
  return text
    .replace(/^# .*\n/, '')
    .replaceAll('@version@', version)
    .replaceAll('@sha256@', sha256);
}

/** What krew, or somebody who installs the plugin, would find wrong. Each problem is a sentence. */
export function krewProblems(text: string, archived: readonly string[]): readonly string[] {
  const parsed = manifestSchema.safeParse(parse(text));
  if (!parsed.success)
    return parsed.error.issues.map(({ path: at, message }) => `${template}: ${at.join('.')}: ${message}`);
  const { metadata, spec } = parsed.data;
  const version = spec.version.slice(1);
  const named = metadata.name === path.basename(template, '.yaml') ? [] : [`${template}: its name is ${metadata.name}`];
  return [
    ...named,
    ...(spec.caveats.includes('Node 20.19') ? [] : [`${template}: the caveats do not say that it needs Node 20.19`]),
    ...spec.platforms.flatMap(({ uri, bin, files = [] }) => [
      ...(uri.endsWith(`/v${version}/${archiveName(version)}`)
        ? []
        : [`${template}: ${uri} is not the archive of ${version}`]),
      ...files
        .filter(({ from }) => !archived.some((name) => name === from || name.startsWith(`${from}/`)))
        .map(({ from }) => `${template}: ${from} is not in the archive`),
      ...archived
        .filter((name) => files.length > 0 && !files.some(({ from }) => name === from || name.startsWith(`${from}/`)))
        .map((name) => `${template}: ${name} of the archive is not installed`),
      ...(archived.includes(bin) ? [] : [`${template}: bin ${bin} is not in the archive`]),
    ]),
  ];
}

/** The problems of the manifest that would be released now. */
export function krewProblemsOf(root: string, version: string): readonly string[] {
  const files = bundledFiles(root);
  return krewProblems(
    krewManifest(root, version, archiveOf(files)),
    files.map(({ name }) => name),
  );
}

/** Writes the archive of the bundle that was built last, and its manifest, and names both. */
export function writeArchive(root: string, version: string, directory: string): readonly string[] {
  const archive = archiveOf(bundledFiles(root));
  const written = [
    [archiveName(version), archive],
    [path.basename(template), krewManifest(root, version, archive)],
  ] as const;
  mkdirSync(directory, { recursive: true });
  return written.map(([name, content]) => {
    const target = path.join(directory, name);
    writeFileSync(target, content);
    return target;
  });
}

function archiveName(version: string): string {
  return `reroll-${version}.tar.gz`;
}
