import { parseArgs } from 'node:util';
import { errorMessage } from '../../shared/domain/errors';
import { projectDir } from '../control-plane/versions';
import { chartCheck } from './chart-check';
import { renderedCheck, writeRenderedFiles } from './rendered-files';
import { currentVersion, fileChecks, notesOf, tagCheck } from './check-release';
import { writeArchive } from './krew-manifest';
import { writeGeneratedFiles } from './generated-files';
import { prepareRelease, ReleaseRefused } from './prepare-release';

const usage = `usage: npm run release -- --check [--tag TAG]  what is to be released fits together
       npm run release -- --generate           writes the generated files
       npm run release -- --archive DIRECTORY  writes the bundle as an archive, and its manifest for krew
       npm run release -- --notes              what the changelog tells of this version
       npm run release -- VERSION              puts the version everywhere and dates the changelog
`;
const usageExitCode = 2;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      check: { type: 'boolean' },
      generate: { type: 'boolean' },
      notes: { type: 'boolean' },
      archive: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  const [version, ...more] = positionals;
  const asked = [values.check, values.generate, values.notes, values.archive, version].filter(
    (thing) => thing !== undefined,
  );
  if (asked.length !== 1 || more.length > 0 || (values.tag !== undefined && !values.check)) {
    process.stderr.write(usage);
    return usageExitCode;
  }
  if (values.generate) await generate();
  if (values.notes) console.log(notesOf(projectDir));
  if (values.archive !== undefined) {
    for (const file of writeArchive(projectDir, currentVersion(projectDir), values.archive)) console.log(file);
  }
  if (values.check) return (await check(values.tag)) === 0 ? 0 : 1;
  if (version !== undefined) await prepare(version);
  return 0;
}

/** Runs all checks and prints their results. Resolves with the number of problems. */
async function check(tag: string | undefined): Promise<number> {
  let count = 0;
  for (const { name, problems } of [
    ...fileChecks,
    chartCheck,
    renderedCheck,
    ...(tag === undefined ? [] : [tagCheck(tag)]),
  ]) {
    const found = await problems(projectDir);
    console.log([`${found.length === 0 ? 'ok     ' : 'FAILED '} ${name}`, ...found].join('\n        '));
    count += found.length;
  }
  return count;
}

/** The order matters: the rendered files include generated ones. */
async function generate(): Promise<void> {
  writeGeneratedFiles(projectDir);
  await writeRenderedFiles(projectDir);
}

async function prepare(version: string): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  prepareRelease({ root: projectDir, version, date });
  await generate();
  console.log(`Now look at the changes, then: git commit -am 'Release ${version}' && git tag -s v${version}`);
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    const expected = error instanceof ReleaseRefused || (error instanceof TypeError && 'code' in error);
    console.error(expected ? errorMessage(error) : error);
    process.exitCode = expected ? usageExitCode : 1;
  },
);
