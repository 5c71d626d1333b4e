import { ProtocolError } from './errors';

/** An object is at most 1.5 MB in etcd; JSON with base64 and managedFields stays far below this. */
export const maxObjectBytes = 8 * 1024 * 1024;

/**
 * Checked before the bytes are collected: a broken length must not fill the memory.
 *
 * @throws ProtocolError
 */
export function requireObjectSize(bytes: number): void {
  if (bytes > maxObjectBytes) throw new ProtocolError(`an object of ${bytes} bytes: the limit is ${maxObjectBytes}`);
}
