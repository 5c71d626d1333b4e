import { RerollProcess } from '../reroll-process';
import type { Guard } from './guard';

/**
 * Has `reroll certs` do what is owed, once: make a CA and certificates, and put the CA into the registration.
 *
 * @throws Error with what it said when it could not.
 */
export async function makeCertificates(guard: Guard, args: readonly string[]): Promise<void> {
  const certs = new RerollProcess({ args: ['certs', '--once', ...args] });
  guard.watch('certs', certs.pid);
  const { code } = await certs.exited();
  guard.watch('certs', undefined);
  if (code !== 0) throw new Error(`reroll certs --once ended with code ${String(code)}: ${certs.stderr.trim()}`);
}
