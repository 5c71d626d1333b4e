import { errorMessage } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionRequest } from './admission-review';
import type { ReviewPath, WebhookMetrics } from '../metrics';
import { warningsWithinBudget } from './warnings';

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** What a plugin adds to the answer. Without `denied`, the write is allowed. */
export interface PluginAnswer {
  /** One line each, the most important first. */
  readonly warnings?: readonly string[];
  /**
   * Only for a mutating hook. The patch must apply to the object in the request: otherwise the API server rejects the
   * write, whatever the failure policy.
   */
  readonly patch?: readonly JsonPatchOperation[];
  /** Denies the write. If several plugins deny it, the first one is reported. */
  readonly denied?: { readonly message: string; readonly reason: 'Invalid'; readonly code: 422 };
}

/**
 * Adds warnings, a patch or a denial to the answer. The write waits for the plugin until the deadline of the review. A
 * plugin that fails or is late adds nothing.
 */
export interface AdmissionPlugin {
  readonly name: 'content-check' | 'lint' | 'preview' | 'source-annotations' | 'source-size' | 'workload';
  /** Called for every review, so it must be cheap. */
  wants(request: AdmissionRequest, path: ReviewPath): boolean;
  /** Must not keep the objects. An error is logged and counted. */
  answer(request: AdmissionRequest): Promise<PluginAnswer>;
}

/** kubectl prints a denial as it is, and a name in it may not have been validated yet. */
const maxRefusalBytes = 4_096;

export interface AdmissionPluginsOptions {
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly plugins: readonly AdmissionPlugin[];
}

/** A run of the plugins on one review. */
export interface PluginRun {
  /** Resolves when all plugins are done. */
  readonly done: Promise<void>;
  /** What the plugins have answered so far. A plugin that is not done counts as failed. */
  take(): PluginAnswer;
}

/** Runs all plugins on a review concurrently, and merges their answers. */
export class AdmissionPlugins {
  readonly #options: AdmissionPluginsOptions;

  constructor(options: AdmissionPluginsOptions) {
    this.#options = options;
  }

  /** Undefined if no plugin wants the request. */
  run(request: AdmissionRequest, path: ReviewPath): PluginRun | undefined {
    const plugins = this.#options.plugins.filter((plugin) => this.#wants(plugin, request, path));
    if (plugins.length === 0) return undefined;
    const answers = new Map<AdmissionPlugin, PluginAnswer>();
    const ask = async (plugin: AdmissionPlugin): Promise<void> => {
      try {
        answers.set(plugin, await plugin.answer(request));
      } catch (thrown) {
        answers.set(plugin, {});
        this.#failed(plugin, errorMessage(thrown));
      }
    };
    const done = Promise.all(plugins.map(ask)).then(() => undefined);
    return {
      done,
      take: () => {
        for (const plugin of plugins) if (!answers.has(plugin)) this.#failed(plugin, 'not done in time');
        return merge(
          plugins.flatMap((plugin) => answers.get(plugin) ?? []),
          path,
        );
      },
    };
  }

  /** Never throws: an error here would leave the review without an answer. */
  #wants(plugin: AdmissionPlugin, request: AdmissionRequest, path: ReviewPath): boolean {
    try {
      return plugin.wants(request, path);
    } catch (thrown) {
      this.#failed(plugin, errorMessage(thrown));
      return false;
    }
  }

  #failed({ name }: AdmissionPlugin, error: string): void {
    this.#options.metrics.pluginFailuresTotal.inc({ duty: name });
    this.#options.logger.debug('a review was allowed without the answer of a plugin', { duty: name, error });
  }
}

function merge(answers: readonly PluginAnswer[], path: ReviewPath): PluginAnswer {
  const warnings = warningsWithinBudget(answers.flatMap((answer) => answer.warnings ?? []));
  // The API server fails the whole call if a validating hook sends a patch.
  const patch = path === 'mutate' ? answers.flatMap((answer) => answer.patch ?? []) : [];
  const denied = answers.find((answer) => answer.denied)?.denied;
  return {
    ...(warnings.length > 0 && { warnings }),
    ...(patch.length > 0 && { patch }),
    ...(denied && { denied: { ...denied, message: printable(denied.message, maxRefusalBytes) } }),
  };
}
