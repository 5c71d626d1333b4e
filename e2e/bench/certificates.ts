import { RerollProcess } from '../reroll-process';

/** Runs `reroll certs --once`: the webhook is not ready without its certificates. */
export async function makeCertificates(common: readonly string[]): Promise<void> {
  const certs = new RerollProcess({ args: ['certs', '--once', ...common] });
  const { code } = await certs.exited();
  if (code !== 0) throw new Error(`reroll certs --once ended with ${String(code)}: ${certs.stderr}`);
}
