import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { parseInspectionQuestion, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { Cluster } from '../cluster/cluster';
import { describeFailure } from '../cluster/cluster-command';
import type { ClusterOptions } from '../cluster/cluster-options';
import { LeaderSilentError } from '../cluster/silence';
import { readUsers } from '../users/read-users';
import { headlineOf, ofOther } from '../why/answer';
import { readCase } from '../why/read-case';
import type { ProblemAnswer, SourceAnswer, WorkloadAnswer } from './model/answers';
import { readHistory } from './read-history';
import { sourceAnswer } from './source-answer';
import { workloadAnswer } from './workload-answer';

export interface ObjectAnswersOptions {
  readonly cluster: Cluster;
  readonly limits: Pick<ClusterOptions, 'rerollNamespace' | 'timeoutMs'>;
}

/** An answer with its HTTP status. */
export interface ObjectAnswer {
  readonly status: number;
  readonly body: WorkloadAnswer | SourceAnswer | ProblemAnswer;
}

/** Each costs several requests to the API server, and a page shows one at a time. */
const maxAtOnce = 6;

const historyLimit = 50;

type Asked = Extract<InspectionQuestion, { readonly about: 'workload' | 'source' }>;

/** Answers about one workload or source, by the code of `reroll why` and `reroll users`. */
export class ObjectAnswers {
  readonly #options: ObjectAnswersOptions;
  #running = 0;

  constructor(options: ObjectAnswersOptions) {
    this.#options = options;
  }

  /** Never rejects. @param path such as `/workloads/Deployment/shop/web` */
  async answer(path: string): Promise<ObjectAnswer> {
    const question = parseInspectionQuestion(`/v1${path}`);
    if ('code' in question) return problem(question.code === 'no-such-path' ? 404 : 400, question.message);
    if (question.about !== 'workload' && question.about !== 'source') return problem(404, 'there is no such page');
    if (this.#running >= maxAtOnce) return problem(429, 'too much is asked at once: this page asks again');
    this.#running++;
    try {
      return { status: 200, body: await this.#read(question) };
    } catch (thrown) {
      return problem(502, describeFailure('ui', thrown));
    } finally {
      this.#running--;
    }
  }

  async #read(asked: Asked): Promise<WorkloadAnswer | SourceAnswer> {
    const { cluster, limits } = this.#options;
    if (asked.about === 'source') return sourceAnswer(await readUsers(cluster, asked, limits));
    const { kind, namespace, name } = asked;
    const named = { kind: workloadKind(kind), namespace, name };
    const read = await readCase(cluster, named, undefined, { ...limits, nowMs: () => cluster.clock.nowMs() });
    const { about, isInstead } = read;
    // It may be about the one that is restarted in its place, and so are the restarts.
    const restarted = { kind: about.kind, namespace, name: about.name };
    const isSilent = about.silence !== undefined;
    const history = isSilent ? undefined : await readHistory(cluster, { ...restarted, limit: historyLimit });
    const entries = history instanceof LeaderSilentError ? undefined : history?.entries;
    const headline = headlineOf(about);
    return workloadAnswer(read, isInstead ? ofOther(about, headline) : headline, entries);
  }
}

function problem(status: number, message: string): ObjectAnswer {
  return { status, body: { message } };
}
