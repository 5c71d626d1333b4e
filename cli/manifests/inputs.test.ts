import { describe, expect, it } from '@jest/globals';
import { readInputs } from './inputs';
import { memoryFiles } from './manifests.fixture';

const files = memoryFiles({
  'one.txt': '1',
  'deploy/b.yaml': 'b',
  'deploy/a.yml': 'a',
  'deploy/sub/c.json': 'c',
  'deploy/README.md': 'no manifest',
  'deploy/.github/d.yaml': 'of a tool',
  'docs/README.md': 'no manifest',
  'locked.yaml': undefined,
  'utf16.yaml': Uint8Array.of(0xff, 0xfe, 0x61, 0),
  'bom.yaml': Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
  '-': 'piped',
});

const read = async (...names: readonly string[]) => await readInputs(names, files);

describe('readInputs', () => {
  it('reads a file whatever its name, and standard input', async () => {
    expect(await read('one.txt', '-')).toEqual({
      inputs: [
        { file: 'one.txt', text: '1' },
        { file: 'stdin', text: 'piped' },
      ],
      problems: [],
    });
  });

  it('reads the manifests of a directory and below it, by name, without those of tools', async () => {
    const { inputs, problems } = await read('deploy');
    expect(inputs.map(({ file }) => file)).toEqual(['deploy/a.yml', 'deploy/b.yaml', 'deploy/sub/c.json']);
    expect(problems).toEqual([]);
  });

  it('reads a file once that is named twice', async () => {
    const { inputs } = await read('deploy/b.yaml', './deploy/b.yaml', 'deploy');
    expect(inputs.map(({ file }) => file)).toEqual(['deploy/b.yaml', 'deploy/a.yml', 'deploy/sub/c.json']);
  });

  it('takes a byte order mark for no text', async () => {
    expect((await read('bom.yaml')).inputs).toEqual([{ file: 'bom.yaml', text: 'a' }]);
  });

  it.each([
    ['gone.yaml', 'cannot be read: there is no such file or directory'],
    ['locked.yaml', 'cannot be read: there is no permission to read it'],
    ['utf16.yaml', 'cannot be read: it is not text in UTF-8'],
    ['docs', 'holds no file *.yaml, *.yml or *.json'],
  ])('tells what is wrong with %s, and reads the others', async (file, message) => {
    expect(await read(file, 'one.txt')).toEqual({
      inputs: [{ file: 'one.txt', text: '1' }],
      problems: [{ file, message }],
    });
  });

  it('names the directory that cannot be listed, and reads those beside it', async () => {
    const entries = async (directory: string) => {
      if (directory === 'deploy/sub') throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return await files.entries(directory);
    };
    const { inputs, problems } = await readInputs(['deploy'], { ...files, entries });
    expect(inputs.map(({ file }) => file)).toEqual(['deploy/a.yml', 'deploy/b.yaml']);
    const message = 'cannot be read: there is no permission to read it';
    expect(problems).toEqual([{ file: 'deploy/sub', message }]);
    expect((await readInputs(['deploy/sub'], { ...files, entries })).problems).toEqual([
      { file: 'deploy/sub', message },
    ]);
  });

  it('shows no control characters of the name of a file that the file system refuses', async () => {
    const refuse = async (file: string): Promise<Uint8Array> => {
      return await Promise.reject(Object.assign(new Error(`ELOOP: open '${file}'`), { code: 'ELOOP' }));
    };
    const { problems } = await readInputs(['a\n::error::b.yaml'], {
      ...{ ...files, read: refuse },
      isDirectory: async () => await Promise.resolve(false),
    });
    expect(problems.map(({ message }) => message)).toEqual([
      String.raw`cannot be read: ELOOP: open 'a\n::error::b.yaml'`,
    ]);
  });
});
