import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { commands } from '../commands';

const textOf = (file: string): string => readFileSync(join(__dirname, '..', file), 'utf8');
const dockerfile = textOf('Dockerfile');
/** The last stage: what is shipped. */
const shipped = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** The words of an instruction in its JSON form. */
function instruction(name: string): unknown {
  return JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? 'null');
}

describe('the image', () => {
  it('§18.5 runs the reconciler without arguments, as where it replaces Reloader’s in its plain manifests', () => {
    expect(instruction('ENTRYPOINT')).toEqual(['node', '/app/reroll.mjs']);
    // Arguments of a pod take the place of these: flags alone then run the same command.
    expect(instruction('CMD')).toEqual([commands.find(({ isDefault }) => isDefault)?.name]);
  });

  it('§12 has the port of the probes, and runs as a user that is not root', () => {
    expect(dockerfile).toMatch(/^EXPOSE 9090$/m);
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  });

  it('is told in instructions that exist and are well-formed', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  });

  it('starts from images that have a version, and that a release may name by digest', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=\S+:24\.\d+\.\d+-bookworm-slim$/m);
    // Of the same release of Debian. It has no versions, and it is what the libraries come from alone.
    expect(dockerfile).toMatch(/^ARG BASE_IMAGE=\S+-debian12:nonroot$/m);
    const sources = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image]) => image);
    expect(sources).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}', '${BASE_IMAGE}']);
  });

  it('runs nothing where it is put together: a platform need not be emulated, and there is no shell', () => {
    expect(shipped).not.toMatch(/^(RUN|HEALTHCHECK|SHELL)\b/m);
  });

  it('has the variables and options of Node that the bundle has by its own name', () => {
    const [, variable, options] = /^#!\/usr\/bin\/env -S (\S+=\S+) node (\S+)$/m.exec(textOf('main.ts'))!;
    expect(shipped).toContain(` ${variable!} \\\n`);
    expect(shipped).toContain(`NODE_OPTIONS=${options!}\n`);
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
