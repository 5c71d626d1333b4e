import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { assertNever, RerollError } from '../shared/domain/errors';
import { version } from '../shared/runtime/version';
import { errorOfFixture, expectError } from './suites.fixture';

const errorsFile = 'shared/domain/errors.ts';

/** Of the frame in which the error was made: jest.runtime.mjs loads that module, and not Jest. */
function firstFrame({ stack = '' }: Error): string | undefined {
  return stack.split('\n').find((line) => line.includes(errorsFile));
}

function caught(): RerollError {
  try {
    return assertNever('a value' as never, 'value');
  } catch (thrown) {
    return thrown as RerollError;
  }
}

describe('a suite', () => {
  it('shows where in the source an error was thrown', () => {
    const [, line] = /errors\.ts:(\d+):\d+/.exec(firstFrame(caught()) ?? '') ?? [];
    expect(readFileSync(errorsFile, 'utf8').split('\n')[Number(line) - 1]).toContain('throw new RerollError(');
  });

  it('has the same modules as its fixtures, which fail the test that uses them', () => {
    expect(errorOfFixture).toBe(RerollError);
    expectError(caught());
    expect(() => expectError(new Error('another'))).toThrow('Expected constructor: RerollError');
  });

  it('compares its own objects with those of the product and of Node', () => {
    expect(caught()).toBeInstanceOf(Error);
    expect(Buffer.from('a')).toBeInstanceOf(Uint8Array);
    expect(JSON.parse('[{"a":[]}]')).toStrictEqual([{ a: [] }]);
  });

  // Jest adds some for each suite that a worker runs, so this can fail only after another suite.
  it('is the only one whose events are handled', () => {
    const { [Symbol.for('EVENT_HANDLERS')]: handlers } = globalThis as { readonly [handlers: symbol]: unknown };
    expect((handlers as readonly unknown[]).length).toBeLessThan(10);
  });

  it('has the globals of the configuration', () => {
    expect(version).toBe('0.0.0-test');
  });
});
