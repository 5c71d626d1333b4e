import type { Clock } from '../../shared/runtime/clock';
import type { LogEntry } from '../reroll-process';
import { Checks, type CheckResult } from './checks';
import type { Guard } from './guard';
import type { Scene } from './scenes';
import { namespace } from './shop';
import { makeCertificates } from './certificates';
import type { Program } from './guard';
import { rerollPodName } from './reroll-pod';
import { ownNamespace, person, rerollUser, ShopCluster } from './shop-cluster';
import { settleMs, Stage } from './stage';
import { Supervisor, type SupervisorEvent } from './supervisor';
import { seconds, type Timeline } from './timeline';

export interface DemoOptions {
  readonly clock: Clock;
  readonly timeline: Timeline;
  readonly guard: Guard;
  /** Folder for kubeconfigs. */
  readonly temporaryDir: string;
  /** The scenes to play, in order: later scenes build on the state that earlier ones leave. */
  readonly scenes: readonly Scene[];
}

/** Opens the cluster, plays the scenes, and can stay up afterwards. */
export class Demo {
  readonly #options: DemoOptions;
  readonly #checks: Checks;
  #stage: Stage | undefined;
  #staysUp = false;

  constructor(options: DemoOptions) {
    this.#options = options;
    this.#checks = new Checks((result) => tellResult(options.timeline, result));
  }

  /** Plays all scenes; resolves with whether every check passed. */
  async play(): Promise<boolean> {
    const stage = await this.#open();
    for (const [index, { title, about, play }] of this.#options.scenes.entries()) {
      stage.timeline.heading(`${String(index + 1)}. ${title}`, about);
      await play(stage);
    }
    const ok = this.#checks.failed === 0;
    this.#options.timeline.close(this.#checks.summary, ok ? 'good' : 'bad');
    return ok;
  }

  /** Starts the reconciler again and shows how to reach the cluster. From here on, the timeline shows its log. */
  async stayUp(): Promise<void> {
    const stage = this.#stage;
    if (!stage) return;
    const { cluster, supervisor, timeline } = stage;
    const { temporaryDir } = this.#options;
    const kubeconfig = await cluster.kubeconfig(temporaryDir, 'admin');
    timeline.heading(
      'Yours',
      'The cluster stays up, and the reconciler watches it, until Ctrl-C. In another terminal:',
    );
    supervisor.start();
    stage.webhook.start();
    await stage.quiet();
    this.#staysUp = true;
    timeline.block([
      `export KUBECONFIG=${kubeconfig}`,
      `kubectl -n ${namespace} get deployments,statefulsets,daemonsets,cronjobs,jobs,pods`,
      `kubectl -n ${namespace} patch configmap app-config --dry-run=server --type=merge -p '{"data":{"color":"gold"}}'`,
      `kubectl -n ${namespace} patch configmap app-config --type=merge -p '{"data":{"color":"gold"}}'`,
      `kubectl -n ${namespace} get events --field-selector reason=Reloaded --sort-by=.lastTimestamp`,
      `kubectl -n ${namespace} get deployment web -o jsonpath='{.metadata.annotations.reroll\\.dev/last-restart}'`,
      `curl http://${supervisor.metricsAddress ?? ''}/metrics`,
      `node dist/reroll.mjs why deployment/web -n ${namespace} --kubeconfig ${kubeconfig}`,
      `node dist/reroll.mjs ui --kubeconfig ${kubeconfig}`,
    ]);
  }

  /** Ends the reconciler and the cluster; may be called at any time. */
  async close(): Promise<void> {
    // A graceful stop, which fails no call, takes a webhook ten seconds, and nobody calls it any more.
    await this.#stage?.webhook.killAndHold();
    await this.#stage?.supervisor.stop();
    await this.#stage?.cluster.close();
  }

  async #open(): Promise<Stage> {
    const { clock, timeline, guard, temporaryDir } = this.#options;
    timeline.heading('Reroll', 'A simulated Kubernetes API server, and the real reconciler as a process of its own.');
    const cluster = await ShopCluster.open();
    const kubeconfigOf = async (user: string): Promise<string> => await cluster.kubeconfig(temporaryDir, user);
    const kubeconfig = await kubeconfigOf(rerollUser);
    timeline.row(
      'cluster',
      `API server at ${cluster.url}; namespace ${namespace}: ${String(cluster.workloads().length)} workloads`,
    );
    const supervisor = new Supervisor({
      ...{ clock, guard, program: 'reconciler', upLine: 'started leading' },
      args: reconcilerArgs(kubeconfig),
      podName: rerollPodName,
      onEvent: (event) => this.#onEvent('reconciler', event),
    });
    const webhook = new Supervisor({
      ...{ clock, guard, program: 'webhook', upLine: 'serving admission reviews' },
      args: webhookArgs(await kubeconfigOf(`${ownAccounts}:reroll-webhook`)),
      podName: 'reroll-webhook-0',
      onEvent: (event) => this.#onEvent('webhook', event),
    });
    const certificates = makeCertificates(guard, commonArgs(await kubeconfigOf(`${ownAccounts}:reroll-certs`)));
    // A scene awaits it later. Until then, a failure must not be an unhandled rejection.
    certificates.catch(() => undefined);
    const stage = new Stage({
      ...{ clock, cluster, supervisor, webhook, certificates, timeline, checks: this.#checks },
      personKubeconfig: await kubeconfigOf(person.name),
    });
    this.#stage = stage;
    supervisor.start();
    return stage;
  }

  /** Acts as a cluster does when a pod is up: makes its port an endpoint of its Service, and forwards ports to it. */
  #publish({ message, port, address }: LogEntry): void {
    const cluster = this.#stage?.cluster;
    const listening = Number(String(address).split(':').at(-1));
    if (message === 'listening for change records') cluster?.setEndpoint('reroll-channel', Number(port));
    if (message === 'serving admission reviews') cluster?.setEndpoint('reroll-webhook', listening);
    if (message === 'answering questions about workloads and sources') cluster?.setInspectionPort(listening);
  }

  #onEvent(program: Program, event: SupervisorEvent): void {
    const { timeline } = this.#options;
    const process = (pid: number | undefined): string => `${program}, pid ${String(pid)}`;
    switch (event.kind) {
      case 'started':
        timeline.row('started', `${process(event.pid)} (kill -9 it whenever you like)`);
        return;
      case 'ready':
        timeline.row(
          'ready',
          `${process(event.pid)}: ${readyTexts[program]}, ${seconds(event.afterMs)} after its start`,
        );
        return;
      case 'ended':
        timeline.row('ended', `${process(event.pid)}: ${event.how}${event.respawns ? '; another is started' : ''}`, {
          tone: 'warning',
        });
        return;
      case 'told':
        this.#publish(event.line);
        if (this.#staysUp) tellLine(timeline, event.line);
    }
  }
}

const readyTexts: Readonly<Record<Program, string>> = {
  reconciler: 'leads and has seen everything',
  webhook: 'has its certificate and can be called',
  certs: 'done',
};

/** The kernel chooses the ports, so that several demos can run at once. */
const anyPort = '127.0.0.1:0';

/** Prefix of user names of service accounts. {@link Stage.quiet} ignores writes of `system:` users. */
const ownAccounts = `system:serviceaccount:${ownNamespace}`;

function commonArgs(kubeconfig: string): readonly string[] {
  return [`--kubeconfig=${kubeconfig}`, `--own-namespace=${ownNamespace}`, `--listen=${anyPort}`, '--log-format=json'];
}

function reconcilerArgs(kubeconfig: string): readonly string[] {
  const settle = `--settle=${String(settleMs)}ms`;
  const ports = [`--channel-listen=${anyPort}`, `--inspection-listen=${anyPort}`];
  return ['reconciler', ...commonArgs(kubeconfig), ...ports, settle];
}

function webhookArgs(kubeconfig: string): readonly string[] {
  return ['webhook', ...commonArgs(kubeconfig), `--webhook-listen=${anyPort}`];
}

function tellResult(timeline: Timeline, result: CheckResult): void {
  if (result.ok) timeline.row('ok', result.what, { tone: 'good' });
  else timeline.row('FAILED', `${result.what}\nexpected ${result.expected}\nseen     ${result.seen}`, { tone: 'bad' });
}

function tellLine(timeline: Timeline, { message, because, level }: LogEntry): void {
  const reasons = Array.isArray(because) ? because.map(String) : [];
  timeline.row('says', [message, ...reasons].join('\n'), { tone: level === 'info' ? 'plain' : 'warning' });
}
