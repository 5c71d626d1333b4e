import { RerollProcess } from '../reroll-process';
import type { Guard } from './guard';

/**
 * Runs `reroll certs --once`, which creates a CA and certificates and puts the CA into the registration.
 *
 * @throws Error with its error output if it fails.
 */
export async function makeCertificates(guard: Guard, args: readonly string[]): Promise<void> {
  const certs = new RerollProcess({ args: ['certs', '--once', ...args] });
  guard.watch('certs', certs.pid);
  const { code } = await certs.exited();
  guard.watch('certs', undefined);
  if (code !== 0) throw new Error(`reroll certs --once ended with code ${String(code)}: ${certs.stderr.trim()}`);
}
