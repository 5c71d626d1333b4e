import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { commands } from '../commands';
import { mallocSettings, nodeOptions } from './image-environment';

const textOf = (file: string): string => readFileSync(join(__dirname, '..', file), 'utf8');
const dockerfile = textOf('Dockerfile');
/** The last stage, which is the shipped image. */
const shipped = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** The words of an instruction in its JSON form. */
function instruction(name: string): unknown {
  return JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? 'null');
}

describe('the image', () => {
  it('§18.5 runs the reconciler without arguments, as where it replaces Reloader’s in its plain manifests', () => {
    expect(instruction('ENTRYPOINT')).toEqual(['node', '--disable-sigusr1', '/app/reroll.mjs']);
    // A pod's arguments replace CMD. Flags without a command still run the default command.
    expect(instruction('CMD')).toEqual([commands.find(({ isDefault }) => isDefault)?.name]);
  });

  it('§12 has the port of the probes, and runs as a user that is not root', () => {
    expect(dockerfile).toMatch(/^EXPOSE 9090$/m);
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  });

  it('has the options of Node that the bundle has by its own name', () => {
    const [shebang] = textOf('main.ts').split('\n');
    expect(shebang).toBe(`#!/usr/bin/env -S node ${nodeOptions}`);
  });

  it('has the variables with which it is measured', () => {
    const malloc = Object.entries(mallocSettings).map((pair) => pair.join('='));
    expect(shipped).toContain(`    ${[...malloc, `NODE_OPTIONS=${nodeOptions}`].join(' \\\n    ')}\n`);
  });

  it('is told in instructions that exist and are well-formed', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  });

  it('starts from images by digest, of one version of Node and one release of Debian', () => {
    const sources = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image]) => image!);
    const digest = /@sha256:[0-9a-f]{64}$/;
    expect(sources.filter((image) => !digest.test(image))).toEqual([]);
    const [node, build, base, ...more] = sources.map((image) => image.replace(digest, ''));
    expect(node).toMatch(/^docker\.io\/library\/node:24\.\d+\.\d+-bookworm-slim$/);
    // The distroless image has no version tags, and only the libraries come from it.
    expect([build, base, more]).toEqual([node, 'gcr.io/distroless/cc-debian12:nonroot', []]);
    expect(sources[1]).toBe(sources[0]);
    expect(shipped).toContain(`org.opencontainers.image.base.name="${base!}"`);
  });

  it('is built without a script of any package', () => {
    const installs = [...dockerfile.matchAll(/\bnpm (?:ci|i|install)\b.*/g)].map(([install]) => install);
    expect(installs).toEqual(['npm ci --ignore-scripts --no-audit --no-fund']);
  });

  it('runs nothing where it is put together: a platform need not be emulated, and there is no shell', () => {
    expect(shipped).not.toMatch(/^(RUN|HEALTHCHECK|SHELL)\b/m);
  });

  it('copies what its context has, which is no more', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, files]) => files!.split(' '));
    const [all, ...kept] = textOf('.dockerignore')
      .split('\n')
      .filter((line) => /^[*!]/.test(line) && !line.endsWith('.test.ts'));
    expect(all).toBe('*');
    expect(kept.toSorted()).toEqual(copied.map((file) => `!${file}`).toSorted());
  });
});
