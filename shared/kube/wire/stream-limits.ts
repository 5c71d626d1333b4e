import { ProtocolError } from '../errors';

/**
 * An object is at most 1.5 MB in etcd, unless a flag of etcd says otherwise. In JSON, a byte of that takes up to six: a control
 * character is `\u0001`. An object that does not fit ends the list or the watch that it is in, again and again, for everybody.
 */
export const maxObjectBytes = 16 * 1024 * 1024;

/**
 * Checked before the bytes are collected: a broken length must not fill the memory.
 *
 * @throws ProtocolError
 */
export function requireObjectSize(bytes: number): void {
  if (bytes > maxObjectBytes) throw new ProtocolError(`an object of ${bytes} bytes: the limit is ${maxObjectBytes}`);
}
