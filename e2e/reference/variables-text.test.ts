import { expect, it } from '@jest/globals';
import { variablesOfCommands } from '../../shared/runtime/options/variables-of-commands';
import { allVariables } from './variables-text';

it('every command knows the variables of all others', () => {
  expect([...variablesOfCommands]).toEqual(allVariables());
  expect(allVariables()).toEqual(
    expect.arrayContaining(['REROLL_REROLL_NAMESPACE', 'REROLL_SETTLE', 'REROLL_PREVIEW']),
  );
});
