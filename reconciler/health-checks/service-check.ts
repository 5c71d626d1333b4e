import { isIP } from 'node:net';
import { isOfNamespace, type HealthyUrl } from '../../shared/domain/gate-settings/health-check';
import { fieldAt, listOf, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject } from '../../shared/kube/client/objects';
import { ForbiddenError, KubeError, NotFoundError } from '../../shared/kube/errors';
import { services } from '../../shared/kube/resource';
import type { HttpGet } from '../../shared/outbound/http-get';
import { failed, passed, unanswered, type CheckAnswer } from './check-answer';

export interface ServiceCheckOptions {
  readonly client: KubeClient;
  readonly get: HttpGet;
}

/**
 * Asks a Service of the workload's own namespace. It is called by its cluster IP, which the API server has assigned: a
 * name would be whatever DNS says, and a Service of type ExternalName lets its author say anything.
 */
export class ServiceCheck {
  readonly #options: ServiceCheckOptions;

  constructor(options: ServiceCheckOptions) {
    this.#options = options;
  }

  /** @throws GetError, as the network */
  async ask(url: HealthyUrl, namespace: string, signal: AbortSignal): Promise<CheckAnswer> {
    if (!isOfNamespace(url, namespace)) return unanswered('names a Service of another namespace');
    const address = await this.#addressOf(url, namespace, signal);
    if (typeof address !== 'string') return address;
    const { protocol, service, port, path } = url;
    const serverName = `${service}.${namespace}.svc`;
    const { status } = await this.#options.get(
      {
        ...{ protocol, host: address, port, path, headers: { host: `${serverName}:${port}` }, maxBodyBytes: 0 },
        // As the kubelet's probes: who issues certificates for a Service is known to its author alone.
        anyCertificate: { serverName },
      },
      signal,
    );
    return status >= 200 && status < 300 ? passed : failed(`status ${status}`);
  }

  async #addressOf(url: HealthyUrl, namespace: string, signal: AbortSignal): Promise<string | CheckAnswer> {
    try {
      const service = await getObject(this.#options.client, services, namespace, url.service, { signal });
      return clusterAddress(service, url);
    } catch (error) {
      if (error instanceof NotFoundError) return unanswered(`there is no Service ${url.service}`);
      if (error instanceof ForbiddenError) return unanswered(`Reroll may not read Service ${url.service}`);
      if (error instanceof KubeError) return unanswered(`Service ${url.service} cannot be read (${error.code})`);
      throw error;
    }
  }
}

/** Without a selector, whoever writes the Service's endpoints says where it leads. */
function clusterAddress(object: unknown, { service, port }: HealthyUrl): string | CheckAnswer {
  const spec = objectOf(fieldAt(object, ['spec']));
  const address = textOf(spec['clusterIP']) ?? '';
  if (spec['type'] === 'ExternalName' || isIP(address) === 0) return unanswered(`Service ${service} has no cluster IP`);
  if (Object.keys(objectOf(spec['selector'])).length === 0) return unanswered(`Service ${service} selects no pods`);
  const hasPort = listOf(spec['ports']).some((each) => objectOf(each)['port'] === port);
  return hasPort ? address : unanswered(`Service ${service} has no port ${port}`);
}
