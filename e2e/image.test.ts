import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reconcilerCommand } from '../reconciler/command';
import { FakeProcess } from './fake-process';

const dockerfile = readFileSync(join(__dirname, '..', 'Dockerfile'), 'utf8');

/** The words of an instruction in its JSON form. */
function instruction(name: string): unknown {
  return JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? 'null');
}

describe('the image', () => {
  it('§18.5 runs the reconciler without arguments, as where it replaces Reloader’s in its plain manifests', () => {
    expect(instruction('ENTRYPOINT')).toEqual(['node', '/app/reroll.js']);
    const { name, isDefault } = reconcilerCommand(new FakeProcess() as unknown as NodeJS.Process);
    // Arguments of a pod take the place of these: flags alone then run the same command.
    expect([instruction('CMD'), isDefault]).toEqual([[name], true]);
  });

  it('§12 has the port of the probes, and runs as a user that is not root', () => {
    expect(dockerfile).toMatch(/^EXPOSE 9090$/m);
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  });
});
