import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { machineFiles } from '../manifests/files';
import { readNewContent } from './edited-source';
import type { Edit } from './preview-question';

it('says of a directory that it is one, where a file is named', async () => {
  const edit: Edit = {
    kind: 'ConfigMap',
    name: 'app',
    set: [],
    setFile: [{ key: 'a', given: tmpdir() }],
    unset: [],
    isDeletion: false,
  };
  await expect(readNewContent(edit, machineFiles(new PassThrough()))).rejects.toThrow(
    `--set-file: ${tmpdir()} cannot be read: it is a directory`,
  );
});
