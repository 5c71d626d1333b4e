import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { alertOf } from './alert.fixture';
import { alertText, maxAlertBytes, messageText } from './message';

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

  it.each([
    '<!channel>',
    '<users/all>',
    '*bold*',
    '[a](http://b)',
    '&amp;',
    'a\u202eb',
    'a\nb',
    '~x~',
    '`x`',
    '<@U1|x>',
  ])('lets no user %j format, link or mention anything', (user) => {
    const detail = alertText(alertOf('web', { detail: `by ${user}.` })).slice(
      firstLine(alertText(alertOf())).length + 1,
    );
    expect(detail).toMatch(/^by .+\.$/);
    expect(detail).not.toMatch(/[<>&*`~|[\]\n\u202e]/);
  });

  it('is never longer than a receiver takes, whatever is in it', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5_000 });
    const kind = fc.constantFrom('ConfigMap' as const, 'Secret' as const);
    const sources = fc.array(fc.record({ kind, name: fc.string({ maxLength: 253 }) }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, sources, (detail, some) => {
        expect(Buffer.byteLength(alertText(alertOf('web', { detail, sources: some })))).toBeLessThanOrEqual(
          maxAlertBytes,
        );
      }),
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
