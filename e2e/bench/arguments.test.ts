import { describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from './arguments';

const known = new Map([
  ['admission', 'how fast a review is answered'],
  ['other', 'another'],
]);

const plain = { json: false, simulated: false, store: false, command: undefined, minutes: 20 };

describe('arguments of a bench', () => {
  it.each([
    [['admission'], { ...plain, names: ['admission'] }],
    [['--json', 'other'], { ...plain, names: ['other'], json: true }],
    [['other', 'admission', 'other'], { ...plain, names: ['other', 'admission'] }],
    [['all'], { ...plain, names: ['admission', 'other'] }],
    [
      ['other', '--sim', '--store', '--minutes=1.5'],
      { ...plain, names: ['other'], simulated: true, store: true, minutes: 1.5 },
    ],
    [['other', '--command', 'peer --flag=1'], { ...plain, names: ['other'], command: 'peer --flag=1' }],
  ])('%j', (args, asked) => expect(parseArguments(args, known)).toEqual(asked));

  it.each([
    ['no name', [], 'name the benches'],
    ['a name that is none', ['other', 'admision'], 'there is no bench "admision"'],
    ['a flag that is none', ['admission', '--fast'], '--fast'],
    ['a flag without its value', ['admission', '--command'], '--command'],
    ['no time', ['admission', '--minutes=0'], '--minutes=0'],
    ['a time that is no number', ['admission', '--minutes=long'], '--minutes=long'],
    ["another's figures as our own", ['admission', '--store', '--command=peer'], '--store is for'],
  ])('%s is an error that lists the benches', (_what, args, words) => {
    const parse = () => parseArguments(args, known);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(words);
    expect(parse).toThrow('admission  how fast a review is answered');
  });
});
