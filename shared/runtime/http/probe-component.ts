import { HttpServer, type HttpServerOptions } from './http-server';
import type { Component } from '../process/lifecycle';
import { formatListenAddress, type ListenAddress } from './listen-address';
import type { Logger } from '../log/logger';

/** Metrics and probes as a component of a process. */
export function probeComponent(
  options: HttpServerOptions & { readonly listen: ListenAddress; readonly logger: Logger },
): Component {
  const { listen, logger } = options;
  const server = new HttpServer(options);
  return {
    name: 'metrics and probes',
    start: async () => {
      const { port } = await server.listen(listen);
      logger.info('serving metrics and probes', { address: formatListenAddress({ ...listen, port }) });
    },
    stop: async () => await server.close(),
  };
}
