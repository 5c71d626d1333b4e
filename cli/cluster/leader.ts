import { errorMessage } from '../../shared/domain/errors';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { inspectionProblemSchema } from '../../shared/domain/protocol/inspection-problem';
import { tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { printable } from '../../shared/domain/text/printable';
import type { KubeClient } from '../../shared/kube/client/client';
import { ForbiddenError, NotFoundError } from '../../shared/kube/errors';
import { LeaseStore, type LeaseRecord } from '../../shared/kube/lease/lease-record';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { answerWithin } from './answer-within';
import { askOn, type Reply } from './ask-on';
import { forwardPort } from './forward-port';
import { PortRefusedError } from './forwarded-port';
import { LeaderSilentError, missingRight, type Silence } from './silence';

export interface LeaderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Reroll's own namespace. */
  readonly namespace: string;
  readonly leaseName: string;
  readonly port: number;
  readonly timeoutMs: number;
}

/** An answer of the leader, as JSON. */
export interface LeaderAnswer {
  readonly pod: string;
  readonly body: unknown;
  /** Its size as it was sent. */
  readonly bytes: number;
}

const problemSchema = tolerant(inspectionProblemSchema);

/** Without `--pod-name`, eight random digits follow the name of the pod: see docs/inspection.md. */
const randomSuffix = /-[0-9a-f]{8}$/;

/** A Lease that nobody has renewed for so many of its durations belongs to a process that is gone. */
const staleDurations = 4;

/** Asks the replica that holds the Lease, on a port of its pod that the API server forwards. */
export class Leader {
  readonly #options: LeaderOptions;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  /** @throws LeaderSilentError; a KubeError if the API server itself cannot be reached */
  async ask(path: string): Promise<LeaderAnswer> {
    try {
      return await this.#askHolder(path, await this.#readLease());
    } catch (thrown) {
      // The other replica may just have taken over, and the Lease was read before.
      if (!(thrown instanceof NotLeadingError)) throw thrown;
      return await this.#askHolder(path, await this.#readLease());
    }
  }

  async #readLease(): Promise<LeaseRecord> {
    const { client, namespace, leaseName, timeoutMs } = this.#options;
    const lease = `Lease ${namespace}/${leaseName}`;
    const stored = await new LeaseStore(client, namespace, leaseName).read({ timeoutMs }).catch((thrown: unknown) => {
      throw thrown instanceof ForbiddenError ? new LeaderSilentError('no-right', missingRight(thrown)) : thrown;
    });
    if (!stored) {
      throw new LeaderSilentError(
        'no-lease',
        `there is no Lease ${leaseName} in namespace ${namespace}: name Reroll's namespace with --reroll-namespace, and its Lease with --lease-name (with --enable-ha it is stakater-reloader-lock)`,
      );
    }
    if (stored.record.holder === '') throw new LeaderSilentError('nobody-leads', `nobody holds ${lease}`);
    return stored.record;
  }

  async #askHolder(path: string, lease: LeaseRecord): Promise<LeaderAnswer> {
    const { holder } = lease;
    const shortened = holder.replace(randomSuffix, '');
    try {
      return await this.#askPod(path, holder).catch(async (thrown: unknown) => {
        if (!(thrown instanceof NotFoundError) || shortened === holder) throw thrown;
        return await this.#askPod(path, shortened);
      });
    } catch (thrown) {
      if (thrown instanceof LeaderSilentError) throw thrown;
      throw this.#silent(thrown, lease);
    }
  }

  #silent(thrown: unknown, { holder, durationMs, renewTime }: LeaseRecord): LeaderSilentError {
    const { clock, namespace, leaseName, port } = this.#options;
    const name = printable(holder);
    const idleMs = clock.nowMs() - Date.parse(renewTime ?? '');
    if (idleMs > staleDurations * durationMs) {
      const message = `nobody leads: ${name} has not renewed Lease ${namespace}/${leaseName} for ${Math.floor(idleMs / 1000)} seconds`;
      return new LeaderSilentError('nobody-leads', message);
    }
    if (thrown instanceof ForbiddenError) return new LeaderSilentError('no-right', missingRight(thrown));
    if (thrown instanceof NotFoundError) {
      return new LeaderSilentError('not-a-pod', `the leader ${name} is no pod of namespace ${namespace}`);
    }
    if (thrown instanceof PortRefusedError) {
      const message = `nothing answers on port ${port} of the leader ${name}: it is an older version, or --inspection-listen of Reroll is off or another port (--inspection-port)`;
      return new LeaderSilentError('no-interface', message);
    }
    return new LeaderSilentError('unreachable', `the leader ${name} cannot be reached: ${errorMessage(thrown)}`);
  }

  async #askPod(path: string, pod: string): Promise<LeaderAnswer> {
    const { client, clock, random, namespace, port, timeoutMs } = this.#options;
    const connection = await forwardPort(client, random, { namespace, pod, port }, { timeoutMs });
    try {
      const reply = await answerWithin(clock, timeoutMs, askOn(connection, path));
      return { pod, body: answerIn(reply, pod), bytes: Buffer.byteLength(reply.text) };
    } finally {
      connection.destroy();
    }
  }
}

/** The Lease has another holder by now. */
class NotLeadingError extends LeaderSilentError {}

const silences: Readonly<Record<string, Silence>> = {
  'no-workloads': 'no-workloads',
  // Of an older version that serves something else there.
  'no-such-path': 'no-interface',
};

/** The answer in a reply. @throws LeaderSilentError for a problem, or what no leader of this version says */
export function answerIn({ status, text }: Reply, pod: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new LeaderSilentError(
      'no-interface',
      `what answers in the pod ${pod} is not Reroll, or another version of it`,
    );
  }
  const version = fieldAt(body, ['v']);
  if (version !== 1) {
    throw new LeaderSilentError(
      'other-version',
      `the leader ${pod} speaks another version of the interface (${typeof version === 'number' ? version : 'none'}): use the version of this command that the install has`,
    );
  }
  if (status < 400) return body;
  const problem = problemSchema.safeParse(body);
  const { code, message } = problem.success
    ? problem.data
    : { code: '', message: textOf(fieldAt(body, ['message'])) ?? '' };
  const what = `the leader ${pod} answers: ${printable(message)}`;
  if (code === 'not-leading') throw new NotLeadingError('not-ready', what);
  throw new LeaderSilentError(silences[code] ?? 'not-ready', what);
}
