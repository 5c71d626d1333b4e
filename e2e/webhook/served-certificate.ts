import { connect } from 'node:tls';

/** The fingerprint of the certificate that a webhook on this host serves to a new connection. */
export async function servedFingerprint(port: number): Promise<string | undefined> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256);
      socket.end();
    });
    socket.once('error', reject);
  });
}
