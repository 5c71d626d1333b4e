import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { CheckMode } from '../../shared/domain/content-check/check-settings';
import type { KubeClient } from '../../shared/kube/client/client';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import { captureObserver } from '../plugins/capture-observer';
import { ChangeSender } from '../channel/change-sender';
import type { AdmissionPlugin } from '../admission/admission-plugin';
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
import { sourceSizePlugin } from '../plugins/source-size-plugin';
import { ReviewHandler } from '../admission/review-handler';
import type { WebhookSelection } from '../registration/selection';
import type { HookType } from '../registration/webhook-configuration';
import { workloadPlugin } from '../plugins/workload-plugin';

export interface WebhookEngineDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** To the reconcilers. */
  readonly transport: ChannelTransport;
}

export interface WebhookEngineSettings {
  readonly ownNamespace: string;
  readonly webhookService: string;
  readonly channelService: string;
  /** Each `host:port`; empty: the endpoints of the channel's Service. */
  readonly reconcilerAddresses: readonly string[];
  /** What to register with the API server. */
  readonly register: readonly HookType[];
  /** `namespace/name` of the Certificate whose CA cert-manager puts into what is registered. */
  readonly injectCaFrom: string | undefined;
  /** Tell who changes a source what that restarts. */
  readonly preview: boolean;
  /** Tell who writes a workload what is wrong with what it says of restarts. */
  readonly lint: boolean;
  /** Nothing is told to who writes there. */
  readonly quietNamespaces: readonly string[];
  /** What to register for; undefined: everything. */
  readonly selection?: WebhookSelection;
  /** Modes of namespaces whose sources are checked without asking. */
  readonly validateNamespaces?: ReadonlyMap<string, CheckMode>;
}

/** The flags of the reconcilers are not known here: what only they opt in is left to them. */
const policy = { autoReloadAll: false, ignoredWorkloadKinds: [] };

/** All of the webhook but its sockets: what a simulation runs. */
export class WebhookEngine {
  /** For the server. */
  readonly handler: ReviewHandler;
  readonly #sender: ChangeSender;
  readonly #key: InstallKey;
  readonly #discovery: ReplicaDiscovery | undefined;
  readonly #registration: Registration;

  constructor(deps: WebhookEngineDeps, settings: WebhookEngineSettings) {
    const { client, clock, logger, metrics, random, transport } = deps;
    const { ownNamespace: namespace, reconcilerAddresses, register, webhookService: name, injectCaFrom } = settings;
    this.#key = new InstallKey({ client, clock, random, logger, namespace });
    this.#sender = new ChangeSender({ clock, random, logger, metrics, transport });
    this.#registration = new Registration({
      ...{ client, clock, random, logger },
      service: { namespace, name, injectCaFrom },
      types: register,
      selection: settings.selection,
    });
    const duties = [
      captureObserver({
        clock,
        metrics,
        recent: new RecentChanges(clock),
        digester: () => this.#key.digester(),
        send: (record) => this.#sender.send(record),
      }),
    ];
    const digester = () => this.#key.digester();
    const reconcilers = new ReconcilerClient({ clock, transport, addresses: () => this.#sender.addresses });
    const advice = [
      ...(settings.preview ? [previewPlugin({ reconcilers, digester })] : []),
      ...(settings.lint ? [lintPlugin({ clock, reconcilers }), sourceSizePlugin()] : []),
    ];
    const plugins = [
      contentCheckPlugin({ client, clock, logger, metrics, namespaces: settings.validateNamespaces ?? new Map() }),
      workloadPlugin({ keys: defaultAnnotationKeys, policy, reconcilers }),
      ...advice.map((duty) => quietIn(settings.quietNamespaces, duty)),
    ];
    this.handler = new ReviewHandler({ clock, logger, metrics, duties, plugins });
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

  /** After the last review: what was captured is sent, for a moment. */
  async stop(): Promise<void> {
    this.#key.stop();
    await this.#registration.stop();
    await this.#discovery?.stop();
    await this.#sender.stop();
  }
}

function quietIn(namespaces: readonly string[], duty: AdmissionPlugin): AdmissionPlugin {
  const isQuiet = (namespace: string | undefined): boolean => namespace !== undefined && namespaces.includes(namespace);
  return { ...duty, wants: (request, path) => !isQuiet(request.namespace) && duty.wants(request, path) };
}
