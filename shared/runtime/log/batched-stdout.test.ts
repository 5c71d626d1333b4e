import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { beforeEach, expect, it } from '@jest/globals';
import { FakeClock } from '../fake-clock';
import { batchedStdout } from './batched-stdout';

/** Records each write. */
class Output extends Writable {
  readonly writes: string[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(chunk.toString());
    done();
  }
}

let clock: FakeClock;
let output: Output;
let process: EventEmitter & { readonly stdout: NodeJS.WriteStream };
let writer: Writable;

beforeEach(() => {
  clock = new FakeClock();
  output = new Output();
  process = Object.assign(new EventEmitter(), { stdout: output as unknown as NodeJS.WriteStream });
  writer = batchedStdout(process as unknown as NodeJS.Process, clock);
});

it('writes the lines of 20 ms in one piece', async () => {
  writer.write('a\n');
  await clock.advance(19);
  writer.write('b\n');
  expect(output.writes).toEqual([]);
  await clock.advance(1);
  writer.write('c\n');
  await clock.advance(20);
  expect(output.writes).toEqual(['a\nb\n', 'c\n']);
});

it('writes the remaining lines when the process exits', () => {
  writer.write('a\n');
  process.emit('exit');
  expect(output.writes).toEqual(['a\n']);
});

it('continues without its reader', async () => {
  output.destroy(new Error('EPIPE'));
  writer.write('a\n');
  await clock.advance(20);
  writer.write('b\n');
  await clock.advance(20);
  expect(output.writes).toEqual([]);
});
