import { describe, expect, it } from '@jest/globals';
import { askedOf, isOfNamespace, notAskedOf, parseHealthyQuery, parseHealthyUrl } from './health-check';

const web = { protocol: 'http', service: 'web', namespace: undefined, port: 80, path: '/' };

describe('parseHealthyUrl', () => {
  it.each<[string, object]>([
    ['http://web', web],
    ['http://web/', web],
    ['http://web:8080', { ...web, port: 8080 }],
    ['https://web', { ...web, protocol: 'https', port: 443 }],
    ['https://web:1/healthz', { ...web, protocol: 'https', port: 1, path: '/healthz' }],
    ['http://web:65535/', { ...web, port: 65_535 }],
    ['http://web.shop:8080/a/b', { ...web, namespace: 'shop', port: 8080, path: '/a/b' }],
    ['http://web.shop.svc:8080/', { ...web, namespace: 'shop', port: 8080 }],
    ['http://web.shop.svc.cluster.local:8080/', { ...web, namespace: 'shop', port: 8080 }],
    ['http://web.1', { ...web, namespace: '1' }],
    ['http://web-2/%20?deep=1&x=%2F', { ...web, service: 'web-2', path: '/%20?deep=1&x=%2F' }],
    // It is the name of a Service, and no name is ever resolved.
    ['http://localhost:8080/', { ...web, service: 'localhost', port: 8080 }],
  ])('reads %s', (text, url) => {
    expect(parseHealthyUrl(text)).toEqual(url);
  });

  it.each([
    ['nothing', ''],
    ['no scheme', 'web:8080/'],
    ['another scheme', 'ftp://web/'],
    ['a scheme in capitals', 'HTTP://web/'],
    ['a file', 'file:///etc/passwd'],
    ['no host', 'http:///healthz'],
    ['an IPv4 address', 'http://10.0.0.1:8080/'],
    ['loopback', 'http://127.0.0.1/'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
    ['an address as one number', 'http://2130706433/'],
    ['an address in octal', 'http://0177.0.0.1/'],
    ['an address in hexadecimal', 'http://0x7f.1/'],
    ['an IPv6 address', 'http://[::1]:8080/'],
    ['an IPv4 address in IPv6', 'http://[::ffff:169.254.169.254]/'],
    ['a host outside', 'http://web.shop.example.com/'],
    ['a host outside that looks like the cluster', 'http://web.shop.svc.cluster.local.example.com/'],
    ['another domain of a cluster', 'http://web.shop.svc.other.local/'],
    ['half of the domain', 'http://web.shop.svc.cluster/'],
    ['a pod', 'http://10-0-0-1.shop.pod.cluster.local/'],
    ['a pod of a StatefulSet', 'http://web-0.web.shop.svc/'],
    ['a dot at the end', 'http://web.shop.svc.cluster.local./'],
    ['an empty label', 'http://web..svc/'],
    ['a name in capitals', 'http://Web/'],
    ['a name in Unicode', 'http://wéb/'],
    ['a full stop in Unicode', 'http://web。shop/'],
    ['an underscore', 'http://web_1/'],
    ['an escape in the host', 'http://web%2eother/'],
    ['a name that is too long', `http://${'a'.repeat(64)}/`],
    ['a user', 'http://me@web/'],
    ['a user and a password', 'http://me:pass@web:80/'],
    ['a Service as the user of another host', 'http://web:80@10.0.0.1/'],
    ['a Service before a back slash', 'http://web\\@10.0.0.1/'],
    ['back slashes', 'http:\\\\web\\healthz'],
    ['a Service before a fragment', 'http://web#@10.0.0.1/'],
    ['a fragment', 'http://web/healthz#top'],
    ['a query without a path', 'http://web?x=1'],
    ['port 0', 'http://web:0/'],
    ['a port that is none', 'http://web:65536/'],
    ['a port with a zero before it', 'http://web:080/'],
    ['an empty port', 'http://web:/'],
    ['two ports', 'http://web:80:443/'],
    ['a space', 'http://web/a b'],
    ['white space around it', ' http://web/'],
    ['a second request', 'http://web/ HTTP/1.1\r\nHost: other\r\n\r\n'],
    ['a line end', 'http://web/\n'],
    ['a NUL', 'http://web/\u0000'],
    ['a tab in the host', 'http://we\tb/'],
    ['Unicode in the path', 'http://web/ä'],
    ['a very long path', `http://web/${'a'.repeat(500)}`],
  ])('refuses %s', (_what, text) => {
    expect(parseHealthyUrl(text)).toBeUndefined();
  });

  it('takes no longer for a long value', () => {
    const texts = ['http://', 'http://a', 'http://web.', 'http://web/?'].map((start) => start + 'a-.'.repeat(50_000));
    for (const text of texts) expect(parseHealthyUrl(text)).toBeUndefined();
  });
});

describe('isOfNamespace', () => {
  it.each([
    ['http://web', true],
    ['http://web.shop', true],
    ['http://web.shop.svc.cluster.local', true],
    ['http://web.bank', false],
    ['http://web.shop2', false],
    ['http://web.svc', false],
  ])('%s: %s', (text, isOwn) => {
    const url = parseHealthyUrl(text);
    expect(url && isOfNamespace(url, 'shop')).toBe(isOwn);
  });
});

describe('parseHealthyQuery', () => {
  it.each<[string, string, string | undefined]>([
    ['a query', 'up{job="web"} == 1', 'up{job="web"} == 1'],
    ['a query in lines', '\n up\n  == 1\n', 'up\n  == 1'],
    ['nothing', ' ', undefined],
    ['a very long one', 'x'.repeat(1_001), undefined],
    ['a long one', 'x'.repeat(1_000), 'x'.repeat(1_000)],
  ])('%s', (_what, text, promQl) => {
    expect(parseHealthyQuery(text)?.promQl).toBe(promQl);
  });
});

describe('what the install asks', () => {
  const both = { healthyUrl: 'unreadable', healthyQuery: { promQl: 'up' } } as const;
  const { healthyUrl, healthyQuery } = both;

  it.each([
    [both, { urls: true, queries: true }, both, []],
    [both, { urls: false, queries: true }, { healthyQuery }, ['healthyUrl']],
    [both, { urls: true, queries: false }, { healthyUrl }, ['healthyQuery']],
    [{ healthyQuery }, { urls: false, queries: false }, {}, ['healthyQuery']],
    [undefined, { urls: true, queries: true }, {}, []],
  ] as const)('of %j with %j', (checks, asked, expected, without) => {
    expect([askedOf(checks, asked), notAskedOf(checks, asked)]).toEqual([expected, without]);
  });
});
