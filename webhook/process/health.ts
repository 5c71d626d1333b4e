import type { Check } from '../../shared/runtime/http/http-server';
import type { WebhookServer } from '../admission/webhook-server';

/**
 * Ready while API servers can call. A missing digest key or reconciler does not make the pod unready: it costs only the
 * names of who made changes, and a Service without endpoints would cost more.
 */
export function readinessChecks(server: Pick<WebhookServer, 'status'>): readonly Check[] {
  return [
    {
      name: 'certificate',
      check: () => {
        const { certificateProblem: problem } = server.status;
        return { ok: problem === undefined, message: problem ?? 'valid' };
      },
    },
    {
      name: 'token',
      check: () => {
        const { callerProblem: problem } = server.status;
        return { ok: problem === undefined, message: problem ?? 'known' };
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
