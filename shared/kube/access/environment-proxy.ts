import { BlockList, isIP } from 'node:net';
import type { Environment } from '../../runtime/options/options';

/**
 * The proxy for a server according to the environment, by the rules of kubectl: HTTPS_PROXY or HTTP_PROXY, unless
 * NO_PROXY names the server. Upper case wins over lower case. A server on this machine is reached directly.
 *
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function environmentProxy(server: URL, env: Environment): string | undefined {
  const chosen =
    server.protocol === 'https:' ? env['HTTPS_PROXY'] || env['https_proxy'] : env['HTTP_PROXY'] || env['http_proxy'];
  if (chosen === undefined || chosen === '') return undefined;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port;
  if (isLocal(host) || isLeftOut(host, port, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined;
  return chosen.includes('://') ? chosen : `http://${chosen}`;
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isLeftOut(host: string, port: string, list: string): boolean {
  const elements = list.split(',').map((element) => element.trim().toLowerCase());
  return elements.some((element) => element !== '' && leavesOut(element, host, port));
}

function leavesOut(element: string, host: string, port: string): boolean {
  if (element === '*') return true;
  const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(element) ?? [];
  if (bits !== undefined) return isWithin(host, address, Number(bits));
  // An IPv6 address has colons of its own: it has a port only in brackets.
  const {
    bracketed,
    plain = bracketed ?? '',
    only,
  } = (isIP(element) === 6 ? { plain: element } : withPort.exec(element)?.groups) ?? {};
  if (only !== undefined && only !== port) return false;
  if (plain.startsWith('*.') || plain.startsWith('.')) return host.endsWith(plain.replace('*', ''));
  return host === plain || (isIP(host) === 0 && host.endsWith(`.${plain}`));
}

const withPort = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::(?<only>\d+))?$/;

function isWithin(host: string, address: string, bits: number): boolean {
  const version = isIP(address);
  if (version === 0 || version !== isIP(host) || bits > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, bits, family);
  return block.check(host, family);
}
