import { request } from 'node:https';

/** The webhook's answer to a call at its port. */
export interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls the webhook at its port, as any pod can: without a client certificate, and without verifying the server's. */
export async function callWebhook(port: number, path: string, body: object): Promise<CallAnswer> {
  const options = {
    ...{ host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false, agent: false },
    headers: { 'content-type': 'application/json' },
  };
  return await new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}

interface ReviewedWrite {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: 'CREATE' | 'UPDATE';
  readonly object: { readonly metadata: { readonly namespace?: string; readonly name?: string } };
  readonly oldObject?: object;
  readonly user?: string;
}

/** A review as an API server would send it. */
export function reviewOf({ kind, operation, object, oldObject, user = 'mallory' }: ReviewedWrite): object {
  const { namespace, name } = object.metadata;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      ...{ uid: 'forged', kind, operation, namespace, name, object, oldObject: oldObject ?? null },
      ...{ userInfo: { username: user }, options: {}, dryRun: false },
    },
  };
}
