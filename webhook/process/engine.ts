import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { CheckMode } from '../../shared/domain/content-check/check-settings';
import type { CanonicalForms } from '../../shared/domain/sources/content-digest';
import type { KubeClient } from '../../shared/kube/client/client';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import { AdmissionLog } from '../plugins/admission-log';
import { captureObserver } from '../plugins/capture-observer';
import { ChangeSender } from '../channel/change-sender';
import type { AdmissionPlugin } from '../admission/admission-plugins';
import type { ChannelTransport } from '../channel/channel-transport';
import { contentCheckPlugin } from '../plugins/content-check-plugin';
import { InstallKey } from '../channel/install-key';
import { lintPlugin } from '../plugins/lint-plugin';
import type { WebhookMetrics } from '../metrics';
import { previewPlugin } from '../plugins/preview-plugin';
import { RecentChanges } from '../plugins/recent-changes';
import { ReconcilerClient } from '../channel/reconciler-client';
import { Registration } from '../registration/registration';
import { ReplicaDiscovery } from '../channel/replica-discovery';
import { sourceAnnotationsPlugin } from '../plugins/source-annotations-plugin';
import { sourceSizePlugin } from '../plugins/source-size-plugin';
import { ReviewHandler } from '../admission/review-handler';
import type { WebhookSelection } from '../registration/selection';
import type { HookType } from '../registration/webhook-configuration';
import { workloadPlugin } from '../plugins/workload-plugin';
import type { AdmissionTraces } from '../tracing/admission-traces';

export interface WebhookEngineDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly transport: ChannelTransport;
  /** Undefined: every source is compared by its bytes. */
  readonly forms?: CanonicalForms;
  /** Undefined: no traces are sent. */
  readonly traces?: AdmissionTraces | undefined;
}

export interface WebhookEngineSettings {
  readonly ownNamespace: string;
  readonly webhookService: string;
  readonly channelService: string;
  /** Each `host:port`. If empty, the endpoints of the channel's Service are used. */
  readonly reconcilerAddresses: readonly string[];
  /** The webhook configurations to register. */
  readonly register: readonly HookType[];
  /** `namespace/name` of the Certificate whose CA cert-manager injects into the webhook configuration. */
  readonly injectCaFrom: string | undefined;
  /** Warn users who change a source about the restarts. */
  readonly preview: boolean;
  /** Warn users who write a workload about mistakes in its annotations. */
  readonly lint: boolean;
  /** Writes there get no warnings. */
  readonly quietNamespaces: readonly string[];
  /** What to register for; undefined for everything. */
  readonly selection?: WebhookSelection;
  /** Modes of the namespaces whose sources are all checked. */
  readonly validateNamespaces?: ReadonlyMap<string, CheckMode>;
}

/** The reconcilers' flags are unknown here, so workloads that only a flag opts in are left to the reconcilers. */
const policy = { autoReloadAll: false, ignoredWorkloadKinds: [] };

/** The whole webhook except its sockets, so that a simulation can run it. */
export class WebhookEngine {
  readonly handler: ReviewHandler;
  readonly #log: AdmissionLog;
  readonly #sender: ChangeSender;
  readonly #key: InstallKey;
  readonly #discovery: ReplicaDiscovery | undefined;
  readonly #registration: Registration;

  constructor(deps: WebhookEngineDeps, settings: WebhookEngineSettings) {
    const { client, clock, forms, logger, metrics, random, traces, transport } = deps;
    const { ownNamespace: namespace, reconcilerAddresses, register, webhookService: name, injectCaFrom } = settings;
    this.#key = new InstallKey({ client, clock, random, logger, namespace, forms });
    this.#sender = new ChangeSender({ clock, random, logger, metrics, traces, transport });
    this.#registration = new Registration({
      ...{ client, clock, random, logger },
      service: { namespace, name, injectCaFrom },
      types: register,
      selection: settings.selection,
    });
    this.#log = new AdmissionLog({ clock, logger });
    const observers = [
      captureObserver({
        ...{ clock, metrics, traces, ownNamespace: namespace, log: this.#log },
        recent: new RecentChanges(clock),
        digester: () => this.#key.digester(),
        send: (record) => this.#sender.send(record),
      }),
    ];
    const digester = () => this.#key.digester();
    const reconcilers = new ReconcilerClient({ clock, transport, addresses: () => this.#sender.addresses });
    const advice = [
      ...(settings.preview ? [previewPlugin({ reconcilers, digester })] : []),
      ...(settings.lint ? [lintPlugin({ clock, reconcilers }), sourceAnnotationsPlugin(), sourceSizePlugin()] : []),
    ];
    const plugins = [
      contentCheckPlugin({ client, clock, logger, metrics, namespaces: settings.validateNamespaces ?? new Map() }),
      workloadPlugin({ keys: defaultAnnotationKeys, policy, reconcilers }),
      ...advice.map((plugin) => quietIn(settings.quietNamespaces, plugin)),
    ];
    this.handler = new ReviewHandler({ clock, logger, metrics, observers, plugins });
    if (reconcilerAddresses.length > 0) {
      this.#sender.setReplicas(new Set(reconcilerAddresses));
    } else {
      this.#discovery = new ReplicaDiscovery({
        ...{ client, clock, random, logger, namespace },
        service: settings.channelService,
        onReplicas: (addresses) => this.#sender.setReplicas(addresses),
      });
    }
  }

  start(): void {
    this.#key.start();
    this.#discovery?.start();
    this.#registration.start();
  }

  /** Call after the last review. Waits a moment for captured changes to be sent. */
  async stop(): Promise<void> {
    this.#key.stop();
    await this.#registration.stop();
    await this.#discovery?.stop();
    await this.#sender.stop();
    this.#log.endMinute();
  }
}

function quietIn(namespaces: readonly string[], plugin: AdmissionPlugin): AdmissionPlugin {
  const isQuiet = (namespace: string | undefined): boolean => namespace !== undefined && namespaces.includes(namespace);
  return { ...plugin, wants: (request, path) => !isQuiet(request.namespace) && plugin.wants(request, path) };
}
