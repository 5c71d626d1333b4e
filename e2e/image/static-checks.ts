import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectDir } from '../control-plane/versions';
import type { BuiltImage } from './built-image';
import { imageFiles } from './image-files';

const megabyte = 1_000_000;
const maxUnpackedBytes = 150 * megabyte;
const maxArchiveBytes = 60 * megabyte;

const inMegabytes = (bytes: number): string => `${(bytes / megabyte).toFixed(1)} MB`;

/** All of Reroll's own files in /app, except the parts of the bundle. */
const ownFiles = ['LICENSE', 'reroll.mjs', 'sbom.cdx.json', 'third-party-licences.txt'];

/** The parts that the bundle loads on demand. */
const part = /^\/app\/parts(\/[\w-]+\.mjs)?$/;

/** Paths that the image must not contain: leftovers of the build, and programs other than Node. */
const unwanted = /\/node_modules$|\/s?bin\/(?!node$)[^/]+$/;

/** A check of the image. Resolves with a summary of what it found. */
export interface ImageCheck {
  readonly name: string;
  run(image: BuiltImage): string | Promise<string>;
}

/** The checks that do not run the image. */
export const staticChecks: readonly ImageCheck[] = [
  {
    name: 'is small',
    run: ({ rootDir, archiveBytes }) => {
      const { bytes } = imageFiles(rootDir);
      assert.ok(bytes <= maxUnpackedBytes, `unpacked it has ${inMegabytes(bytes)}`);
      assert.ok(archiveBytes <= maxArchiveBytes, `its archive has ${inMegabytes(archiveBytes)}`);
      return `${inMegabytes(bytes)} unpacked, ${inMegabytes(archiveBytes)} as an archive`;
    },
  },
  {
    name: 'is one bundle, without node_modules, shell or package manager',
    run: ({ rootDir }) => {
      const { paths } = imageFiles(rootDir);
      const inApp = paths.filter((name) => name.startsWith('/app/') && !part.test(name));
      assert.deepEqual(inApp.toSorted(), ownFiles.map((name) => `/app/${name}`).toSorted());
      assert.deepEqual(
        paths.filter((name) => unwanted.test(name)),
        [],
      );
      return inApp.join(' ');
    },
  },
  {
    name: 'holds the bill of materials and the licences of this commit',
    run: ({ rootDir }) => {
      const files = ['sbom.cdx.json', 'third-party-licences.txt'];
      for (const name of files) {
        const shipped = readFileSync(path.join(rootDir, 'app', name), 'utf8');
        assert.equal(shipped, readFileSync(path.join(projectDir, 'deploy', name), 'utf8'), name);
        assert.notEqual(shipped, '', name);
      }
      return files.join(' ');
    },
  },
  {
    name: 'has labels, user and command',
    run: ({ config, version, revision }) => {
      const { Labels, User, Entrypoint, Cmd, Healthcheck } = config;
      assert.equal(Labels['org.opencontainers.image.version'], version);
      assert.equal(Labels['org.opencontainers.image.revision'], revision);
      for (const name of ['title', 'description', 'licenses', 'source', 'documentation', 'base.name']) {
        assert.ok(Labels[`org.opencontainers.image.${name}`], `label ${name}`);
      }
      assert.equal(User, '65532:65532');
      assert.deepEqual([Entrypoint, Cmd], [['node', '--disable-sigusr1', '/app/reroll.mjs'], ['reconciler']]);
      assert.equal(Healthcheck, undefined);
      return `${[...Entrypoint, ...Cmd].join(' ')} as ${User}`;
    },
  },
  {
    name: 'leaves nothing of the build in its environment',
    run: ({ config }) => {
      const names = config.Env.map((pair) => pair.split('=')[0]);
      assert.deepEqual(names.filter((name) => !['PATH', 'SSL_CERT_FILE'].includes(name ?? '')).toSorted(), [
        'GLIBC_TUNABLES',
        'MALLOC_ARENA_MAX',
        'MALLOC_MMAP_THRESHOLD_',
        'MALLOC_TOP_PAD_',
        'MALLOC_TRIM_THRESHOLD_',
        'NODE_ENV',
        'NODE_OPTIONS',
      ]);
      return config.Env.join(' ');
    },
  },
];
