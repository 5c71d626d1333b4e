import { expect } from '@jest/globals';
import type { ChartCase } from '../chart-case';
import type { Values } from '../rendered-chart';

/** Installs that watch some namespaces, and their roles there. */
export const watchedNamespaceCases: readonly ChartCase[] = [
  {
    what: 'some namespaces: a Role in each and in our own, and no right in the cluster',
    values: { reloader: { watchGlobally: false, namespaces: ['shop', 'blog'] } },
    check: (rendered) => {
      expect(rendered.args()).toContain('--namespaces=blog,reroll,shop');
      const roles = rendered.manifests.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'reroll');
      expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['blog', 'reroll', 'shop']);
      expect(rendered.rules('Role', 'reroll-own')).toContain('list watch configmaps/reroll-hold');
      expect(JSON.stringify(roles)).not.toContain('"namespaces"');
      expect(rendered.names('ClusterRole')).toEqual(['reroll-certs']);
      const [hook] = rendered.one('ValidatingWebhookConfiguration')['webhooks'] as readonly [Values];
      expect(JSON.stringify(hook['namespaceSelector'])).toContain('"operator":"In","values":["blog","reroll","shop"]');
    },
  },
  {
    what: 'roles in namespaces that several installs may watch have the name of the install, as those of the cluster do',
    values: { reloader: { watchGlobally: false, namespaces: ['shop'] } },
    options: { namespace: 'tools' },
    check: (rendered) => {
      for (const kind of ['Role', 'RoleBinding']) {
        const objects = rendered.manifests.filter((each) => each.kind === kind);
        const names = objects.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`);
        expect(names.toSorted()).toEqual([
          ...['shop/tools-reroll', 'shop/tools-reroll-webhook-schemas', 'tools/reroll', 'tools/reroll-certs'],
          ...['tools/reroll-own', 'tools/reroll-webhook', 'tools/reroll-webhook-schemas'],
        ]);
      }
      expect(rendered.one('RoleBinding', 'tools-reroll')['roleRef']).toMatchObject({ name: 'tools-reroll' });
    },
  },
  {
    what: 'namespaces as text',
    values: { reloader: { watchGlobally: false, namespaces: ' shop, blog ' } },
    check: (rendered) => expect(rendered.args()).toContain('--namespaces=blog,reroll,shop'),
  },
  {
    what: 'no namespace named: our own',
    values: { reloader: { watchGlobally: false } },
    check: (rendered) => expect(rendered.args()).toContain('--namespaces=reroll'),
  },
];
