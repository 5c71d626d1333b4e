import { describe, expect, it } from '@jest/globals';
import { changesTemplate } from './template-difference';

const path = ['spec', 'template'];
const within = (template: unknown): object => ({ spec: { template } });
const container = (more: object): object => ({ spec: { containers: [{ name: 'web', image: 'web:1', ...more }] } });
const stored = {
  metadata: { labels: { app: 'web' }, annotations: { added: 'by-somebody' } },
  spec: {
    containers: [
      {
        ...{ name: 'web', image: 'web:1', imagePullPolicy: 'IfNotPresent' },
        resources: { requests: { cpu: '500m', memory: '1Gi' } },
        env: [{ name: 'RATIO', value: '1' }],
      },
    ],
    restartPolicy: 'Always',
  },
};

describe('an apply changes the pod template', () => {
  it.each<[string, unknown, boolean]>([
    ['nothing, if the API server has added defaults', container({}), false],
    ['of another image', container({ image: 'web:2' }), true],
    ['with another container', { spec: { containers: [{ name: 'web' }, { name: 'side' }] } }, true],
    ['with a field that is not stored', container({ command: ['sh'] }), true],
    ['with an empty field that is not stored', container({ securityContext: {} }), false],
    ['with a variable that becomes empty', container({ env: [{ name: 'RATIO', value: '' }] }), true],
    ['with false and zero where those are not stored', container({ tty: false, ports: [], stdin: false }), false],
    ['with false where no value is stored', { spec: { automountServiceAccountToken: false } }, true],
    ['with true where no value is stored', { spec: { hostNetwork: true } }, true],
    ['with null for the default', container({ imagePullPolicy: null }), false],
    ['with a field that was empty', container({ securityContext: { privileged: true } }), true],
    ['with a quantity in another form', container({ resources: { requests: { cpu: 0.5, memory: '1024Mi' } } }), false],
    ['with another quantity', container({ resources: { requests: { cpu: '0.6' } } }), true],
    ['with a text that only looks like a quantity', container({ env: [{ name: 'RATIO', value: '1.0' }] }), true],
    ['with an annotation', { metadata: { annotations: { more: 'x' } } }, true],
    ['with an empty annotation', { metadata: { annotations: { more: '' } } }, true],
    ['with an empty label that has the name of a field', { metadata: { labels: { role: '' } } }, true],
    ['and has none', undefined, false],
  ])('%s', (_what, template, expected) => {
    expect(changesTemplate(path, { manifest: within(template), live: within(stored), last: undefined })).toBe(expected);
  });

  const marker = { name: 'STAKATER_APP_CONFIGMAP', value: 'AAAAAAAAAAAAAAAAAAAAAA.0123abcd' };
  const ratio = { name: 'RATIO', value: '1' };

  it.each<[string, readonly object[], readonly object[], boolean]>([
    ['not by keeping the marker of a restart', [ratio], [ratio, marker], false],
    ['not by keeping that of Reloader', [ratio], [{ ...marker, value: '0123456789'.repeat(4) }, ratio], false],
    ['not by a marker that the manifest has too', [ratio, marker], [ratio, marker], false],
    ['by another marker', [ratio, { ...marker, value: 'x' }], [ratio, marker], true],
    ['by taking out a variable that only looks like one', [ratio], [ratio, { ...marker, value: 'on' }], true],
    ['by another variable beside a marker', [{ ...ratio, value: '2' }], [ratio, marker], true],
  ])('%s', (_what, written, env, expected) => {
    const [manifest, live] = [within(container({ env: written })), within(container({ env }))];
    expect(changesTemplate(path, { manifest, live, last: undefined })).toBe(expected);
  });

  it('by taking out what kubectl had applied', () => {
    const [last, manifest] = [within(container({ command: ['sh'] })), within(container({}))];
    const live = within({ spec: { containers: [{ name: 'web', image: 'web:1', command: ['sh'] }] } });
    expect(changesTemplate(path, { manifest, live, last })).toBe(true);
    expect(changesTemplate(path, { manifest, live, last: manifest })).toBe(false);
  });

  it.each<[string, object, object]>([
    [
      'a prefix',
      { envFrom: [{ prefix: '', configMapRef: { name: 'app' } }] },
      { envFrom: [{ configMapRef: { name: 'app' } }] },
    ],
    ['a port', { ports: [{ name: '', containerPort: 80 }] }, { ports: [{ containerPort: 80 }] }],
    [
      'a probe',
      { livenessProbe: { tcpSocket: { host: '', port: 80 } } },
      { livenessProbe: { tcpSocket: { port: 80 } } },
    ],
  ])('not by an empty text of %s, which is not stored', (_what, written, kept) => {
    const [manifest, live] = [within(container(written)), within(container(kept))];
    expect(changesTemplate(path, { manifest, live, last: undefined })).toBe(false);
  });

  it('not by empty texts of a toleration and an account, which are not stored', () => {
    const live = within({ spec: { tolerations: [{}] } });
    const toleration = { key: '', operator: '', value: '', effect: '' };
    const manifest = within({ spec: { serviceAccount: '', tolerations: [toleration] } });
    expect(changesTemplate(path, { manifest, live, last: undefined })).toBe(false);
  });

  it('not by a variable without a text, of which the name alone is stored', () => {
    const live = within(container({ env: [{ name: 'RATIO' }] }));
    const written = (value: string): object => within(container({ env: [{ name: 'RATIO', value }] }));
    expect(changesTemplate(path, { manifest: written(''), live, last: undefined })).toBe(false);
    expect(changesTemplate(path, { manifest: written('1'), live, last: undefined })).toBe(true);
  });
});
