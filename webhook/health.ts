import type { Check } from '../shared/runtime/http-server';
import type { WebhookServer } from './webhook-server';

/**
 * Ready while API servers may call. What else is missing (the digest key, a reconciler) costs the name of who made a
 * change, and a review that goes nowhere costs more.
 */
export function readinessChecks(server: Pick<WebhookServer, 'status'>): readonly Check[] {
  return [
    {
      name: 'certificate',
      check: () => {
        const { certified } = server.status;
        return { ok: certified, message: certified ? 'loaded' : 'there is none yet: see --certs-secret and --tls-dir' };
      },
    },
    {
      name: 'server',
      check: () => {
        const { state } = server.status;
        return { ok: state === 'listening', message: state };
      },
    },
  ];
}
