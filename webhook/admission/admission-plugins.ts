import { errorMessage } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionRequest } from './admission-review';
import type { AdmissionPlugin, PluginAnswer } from './admission-plugin';
import type { ReviewPath, WebhookMetrics } from '../metrics';
import { warningsWithinBudget } from './warnings';

/** kubectl prints a refusal as it is, and a name in it may not have been validated yet. */
const maxRefusalBytes = 4_096;

export interface AnswerDutiesOptions {
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly duties: readonly AdmissionPlugin[];
}

/** What duties add to one answer. */
export interface Gathering {
  /** Fulfilled when all of them are done. */
  readonly done: Promise<void>;
  /** What there is now; a duty that is not done has failed. */
  take(): PluginAnswer;
}

/** Asks all duties of a review at once, and puts their answers together. */
export class AdmissionPlugins {
  readonly #options: AnswerDutiesOptions;

  constructor(options: AnswerDutiesOptions) {
    this.#options = options;
  }

  /** Undefined where no duty has anything to say about the request. */
  gather(request: AdmissionRequest, path: ReviewPath): Gathering | undefined {
    const duties = this.#options.duties.filter((duty) => this.#wants(duty, request, path));
    if (duties.length === 0) return undefined;
    const answers = new Map<AdmissionPlugin, PluginAnswer>();
    const ask = async (duty: AdmissionPlugin): Promise<void> => {
      try {
        answers.set(duty, await duty.answer(request));
      } catch (thrown) {
        answers.set(duty, {});
        this.#failed(duty, errorMessage(thrown));
      }
    };
    const done = Promise.all(duties.map(ask)).then(() => undefined);
    return {
      done,
      take: () => {
        for (const duty of duties) if (!answers.has(duty)) this.#failed(duty, 'not done in time');
        return merge(
          duties.flatMap((duty) => answers.get(duty) ?? []),
          path,
        );
      },
    };
  }

  /** The answer is not yet given: nothing may be thrown on the way to it. */
  #wants(duty: AdmissionPlugin, request: AdmissionRequest, path: ReviewPath): boolean {
    try {
      return duty.wants(request, path);
    } catch (thrown) {
      this.#failed(duty, errorMessage(thrown));
      return false;
    }
  }

  #failed({ name }: AdmissionPlugin, error: string): void {
    this.#options.metrics.dutyFailuresTotal.inc({ duty: name });
    this.#options.logger.debug('a review was allowed without all there was to say', { duty: name, error });
  }
}

function merge(answers: readonly PluginAnswer[], path: ReviewPath): PluginAnswer {
  const warnings = warningsWithinBudget(answers.flatMap((answer) => answer.warnings ?? []));
  // A validating hook that sends a patch is in error, and so would be the whole call.
  const patch = path === 'mutate' ? answers.flatMap((answer) => answer.patch ?? []) : [];
  const denied = answers.find((answer) => answer.denied)?.denied;
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(patch.length > 0 && { patch }),
    ...(denied && { denied: { ...denied, message: printable(denied.message, maxRefusalBytes) } }),
  };
}
