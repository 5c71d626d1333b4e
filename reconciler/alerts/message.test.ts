import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { alertOf } from './alert.fixture';
import type { Alert } from './alert';
import { alertText as textFor, maxAlertBytes, messageText } from './message';
import { alertSinks } from './alert-formatters';

const alertText = (alert: Alert): string => textFor(alert, alertSinks['slack']!);
const firstLine = (text: string): string => text.split('\n')[0]!;

describe('alertText', () => {
  it('§14.2 is the sentence of Reloader, with what only Reroll knows on a line of its own', () => {
    expect(alertText(alertOf())).toBe(
      'Reloader detected changes in *app* of type *CONFIGMAP* in namespace *shop*. Hence reloaded *web* of type *Deployment* in namespace *shop*\n' +
        'ConfigMap app: content changed (keys: color). Deployment restarted (env-vars, c0ffee00)',
    );
  });

  it.each([
    ['ConfigMap', 'CONFIGMAP'],
    ['Secret', 'SECRET'],
    ['SecretProviderClass', 'SECRETPROVIDERCLASS'],
  ] as const)('§14.2 names a %s by its token', (kind, token) => {
    expect(alertText(alertOf('web', { sources: [{ kind, name: 'x' }] }))).toContain(`*x* of type *${token}* in`);
  });

  it('§14.2 names all sources that one restart answers', () => {
    const sources = [{ kind: 'ConfigMap', name: 'app' } as const, { kind: 'Secret', name: 'db' } as const];
    expect(firstLine(alertText(alertOf('web', { sources })))).toContain(
      'changes in *app* of type *CONFIGMAP* in namespace *shop*, *db* of type *SECRET* in namespace *shop*. Hence',
    );
  });

  it('counts the sources that would make it a list', () => {
    const sources = Array.from({ length: 12 }, (_, n) => ({ kind: 'ConfigMap', name: `c${n}` }) as const);
    const line = firstLine(alertText(alertOf('web', { sources })));
    expect(line).toContain('*c4* of type *CONFIGMAP* in namespace *shop* and 7 more. Hence reloaded');
    expect(line).not.toContain('c5');
  });

  it.each(Object.entries(alertSinks))(
    'is one that %s does not act upon, wherever a stranger has a word in it',
    (_name, sink) => {
      const foreign = '<!channel>\n\u202e';
      const escaped = sink.escape(String.raw`<!channel>\n\u202e`);
      const text = textFor(
        {
          sources: [{ kind: 'ConfigMap', name: foreign }],
          workload: { kind: 'Deployment', namespace: foreign, name: foreign },
          detail: foreign,
        },
        sink,
      );
      expect(text.split(escaped)).toHaveLength(6);
      expect(text).not.toMatch(/<!channel>|\u202e/);
      expect(text.split('\n')).toHaveLength(2);
    },
  );

  it('is never longer than a receiver takes, and never ends within an escape, whatever is in it', () => {
    const text = fc.string({ unit: fc.constantFrom('<', '&', '[', '@', 'x', '\u0007', '😀'), maxLength: 5_000 });
    const detail = text.filter((words) => words !== '');
    const kind = fc.constantFrom('ConfigMap' as const, 'SecretProviderClass' as const);
    const sources = fc.array(fc.record({ kind, name: text }), { minLength: 1, maxLength: 30 });
    const sink = fc.constantFrom(...Object.values(alertSinks));
    fc.assert(
      fc.property(detail, text, text, sources, sink, (detail, namespace, name, some, receiver) => {
        const workload = { kind: 'DeploymentConfig', namespace, name };
        const text = textFor({ detail, workload, sources: some }, receiver);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxAlertBytes);
        expect(text.split('\n')[1]!.length).toBeGreaterThan(0);
        if (receiver === alertSinks['slack']) expect(text).not.toMatch(/&(?!(amp|lt|gt);)/);
      }),
      { numRuns: 50 },
    );
  });
});

describe('messageText', () => {
  it.each([
    [['a'], 0, undefined, 'a'],
    [['a'], 0, 'prod', 'prod : a'],
    [['a', 'b'], 0, 'prod', 'prod : a\nb'],
    [['a'], 3, undefined, 'a\nand 3 more; each is in the log and in an Event'],
  ])('§14.2 of %j and %i more with %j', (alerts, more, info, text) => {
    expect(messageText(alerts, more, info)).toBe(text);
  });
});
