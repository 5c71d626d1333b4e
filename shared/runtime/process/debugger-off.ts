/**
 * On SIGUSR1, Node opens a debugger, which lets anybody who connects read the whole process: keys, digests, the API
 * server token. More parties may send the signal than may read those: another container of a pod with a shared process
 * namespace, or a sidecar with the same user. A listener takes the signal away from Node, even if Node has no
 * `--disable-sigusr1`.
 */
export function turnDebuggerOff(process: Pick<NodeJS.Process, 'on'>): void {
  process.on('SIGUSR1', () => undefined);
}
