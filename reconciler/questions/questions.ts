import type { LintAnswer } from '../../shared/domain/protocol/lint-answer';
import type { MutationAnswer, MutationQuestion } from '../../shared/domain/protocol/mutation-question';
import type { PreviewAnswer, PreviewQuestion } from '../../shared/domain/protocol/preview';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import type { ChannelHandlers } from '../channel/answers';
import { Lints, type LintsOptions } from './lints';
import { Previews, type PreviewsOptions } from './previews';
import { AdmissionMutations, type AdmissionMutationsOptions } from './admission-mutations';

export interface QuestionsOptions extends PreviewsOptions, AdmissionMutationsOptions, LintsOptions {
  readonly clock: AdmissionMutationsOptions['clock'];
  readonly keys: AdmissionMutationsOptions['keys'];
  readonly scope: LintsOptions['scope'];
  readonly sources: PreviewsOptions['sources'];
  readonly workloads: PreviewsOptions['workloads'];
  readonly annotationKeys: LintsOptions['annotationKeys'];
  readonly settings: PreviewsOptions['settings'] & LintsOptions['settings'];
  /** Whether the indexes are filled. */
  readonly isSettled: () => boolean;
  /** A dry run: nothing of ours may be written, not even by others. */
  readonly dryRun: boolean;
}

/** Answers the webhook's questions. Undefined means that this replica cannot answer. */
export class Questions implements Omit<ChannelHandlers, 'accept'> {
  readonly #options: Pick<QuestionsOptions, 'isSettled' | 'dryRun'>;
  readonly #previews: Previews;
  readonly #mutations: AdmissionMutations;
  readonly #lints: Lints;

  constructor(options: QuestionsOptions) {
    this.#options = options;
    this.#previews = new Previews(options);
    this.#mutations = new AdmissionMutations(options);
    this.#lints = new Lints(options);
  }

  preview(question: PreviewQuestion): PreviewAnswer | undefined {
    return this.#options.isSettled() ? this.#previews.answer(question) : undefined;
  }

  async mutate(question: MutationQuestion): Promise<MutationAnswer | undefined> {
    return this.#options.isSettled() && !this.#options.dryRun ? await this.#mutations.answer(question) : undefined;
  }

  lint(question: WorkloadQuestion): LintAnswer | undefined {
    return this.#options.isSettled() ? this.#lints.answer(question) : undefined;
  }
}
