import { ProtocolError } from '../errors';

/**
 * An object in etcd is at most 1.5 MB, unless a flag of etcd allows more. In JSON, one byte may take up to six: a
 * control character is `\u0001`. An object beyond the limit would end its list or watch for everybody, again and again.
 */
export const maxObjectBytes = 16 * 1024 * 1024;

/**
 * Checked before the bytes are collected: a wrong length must not fill the memory.
 *
 * @throws ProtocolError
 */
export function requireObjectSize(bytes: number): void {
  if (bytes > maxObjectBytes) throw new ProtocolError(`an object of ${bytes} bytes: the limit is ${maxObjectBytes}`);
}
