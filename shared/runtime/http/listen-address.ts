import { BlockList, isIPv6 } from 'node:net';

/** The address of a server. */
export interface ListenAddress {
  /** Undefined for all addresses of the machine, IPv4 and IPv6. */
  readonly host: string | undefined;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** `:9090`, `127.0.0.1:9090`, `localhost:0`, `[::1]:9090`; undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[A-Za-z0-9.-]*)):(?<port>\d{1,5})$/.exec(text);
  if (!match?.groups) return undefined;
  const { ipv6, host = ipv6 } = match.groups;
  const port = Number(match.groups['port']);
  if (port > 65535 || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined;
  return { host: host === '' ? undefined : host, port };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only the machine or pod itself reaches the address. A name does not count: what it resolves to may change. */
export function isLoopback({ host = '' }: ListenAddress): boolean {
  return loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

export function formatListenAddress({ host = '', port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
