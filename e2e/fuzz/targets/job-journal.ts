import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { jsonOf, promise, secretMarker, type Target } from '../target';
import { isObject } from '../../../shared/domain/kubernetes/json-value';
import { framed } from '../../../shared/domain/sources/keyed-hash';
import type { KubeObject } from '../../../shared/kube/client/objects';
import { entryName, openEntry } from '../../../reconciler/apply/journal-entry';
import { json } from '../samples';

const key = Buffer.alloc(32, 7);
const name = entryName('uid-job');
const metadata = {
  ...{ name, namespace: 'reroll', uid: 'u', resourceVersion: '1' },
  labels: { 'reroll.dev/journal-job': 'uid-job' },
  annotations: { 'reroll.dev/journal-job-name': 'shop/seed' },
};

const entry = {
  ...{ uid: 'uid-job', restartId: 'a1', sources: ['cm/app'], because: ['ConfigMap app: content changed'] },
  successor: {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'seed', namespace: 'shop', annotations: {} } },
    spec: { marker: secretMarker },
  },
};

/** An entry signed with the right key, so that what is behind a valid MAC is fuzzed, too. */
function signed(manifest: Buffer): object {
  const hmac = createHmac('sha256', key);
  for (const part of ['reroll-journal-entry/1', name, 'uid-job', 'shop', 'seed']) hmac.update(framed(part));
  const mac = hmac.update(manifest).digest('base64');
  return { 'recreation.json.gz': manifest.toString('base64'), mac };
}

/**
 * The journal entry of a Job that is to be recreated. An input that is not JSON with `data` is the text of a signed
 * manifest.
 */
export const target: Target = {
  seeds: [json(entry), json({ data: signed(gzipSync(json(entry))) }), json({ data: { mac: 'AAAA' } })],
  run: (input) => {
    const object = jsonOf(input);
    const data = isObject(object) && 'data' in object ? object['data'] : signed(gzipSync(input));
    const opened = openEntry(key, { metadata, data });
    if (opened.kind === 'refused') return;
    const { kind, metadata: job } = opened.entry.successor as unknown as KubeObject & { readonly kind: string };
    promise(
      kind === 'Job' && job.namespace === 'shop' && job.name === 'seed',
      'no other Job than the one that it is for',
    );
  },
};
