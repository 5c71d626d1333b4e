/**
 * The rooms of the code, each tower from the ground up. A file may import its own folder and what stands below it, so no two
 * folders can import each other. `shared` is under all towers; towers never import one another. The linter holds every import to
 * this drawing (`no-import-upwards.mjs`), and a test holds `docs/architecture.md` and
 * `CONTRIBUTING.md` to it.
 */
export const towers = {
  shared: [
    'shared/domain',
    'shared/domain/text',
    'shared/domain/kubernetes',
    'shared/domain/annotations',
    'shared/domain/gate-settings',
    'shared/domain/sources',
    'shared/domain/rollback',
    'shared/domain/policy',
    'shared/domain/workloads',
    'shared/domain/baseline',
    'shared/domain/marks',
    'shared/domain/protocol',
    'shared/domain/plan',
    'shared/domain/gates',
    'shared/domain/lint',
    'shared/domain/content-check',
    'shared/runtime',
    'shared/runtime/log',
    'shared/runtime/process',
    'shared/runtime/http',
    'shared/runtime/tls',
    'shared/runtime/options',
    'shared/kube',
    'shared/kube/access',
    'shared/kube/transport',
    'shared/kube/wire',
    'shared/kube/client',
    'shared/kube/lease',
    'shared/kube/list-watch',
    'shared/kube/sources',
    'shared/kube/secrets',
    'shared/outbound',
    'shared/tracing',
  ],
  certs: ['certs'],
  cli: [
    'cli/output',
    'cli/manifests',
    'cli/lint',
    'cli/cluster',
    'cli/evidence',
    'cli/migrate',
    'cli/parts',
    'cli/rights',
    'cli/status',
    'cli/users',
    'cli/history',
    'cli/preview',
    'cli/why',
    'cli/pause',
    'cli/rollback',
    'cli/check',
    'cli/completion',
    'cli/ui/model',
    'cli/ui/page',
    'cli/ui',
  ],
  webhook: [
    'webhook',
    'webhook/tracing',
    'webhook/channel',
    'webhook/registration',
    'webhook/admission',
    'webhook/plugins',
    'webhook/process',
  ],
  reconciler: [
    'reconciler/metrics',
    'reconciler/queue',
    'reconciler/alerts',
    'reconciler/options',
    'reconciler/sources',
    'reconciler/workloads',
    'reconciler/health-checks',
    'reconciler/gates',
    'reconciler/watch',
    'reconciler/hints',
    'reconciler/reading',
    'reconciler/apply',
    'reconciler/history',
    'reconciler/tracing',
    'reconciler/reporting',
    'reconciler/rollback',
    'reconciler/worker',
    'reconciler/channel',
    'reconciler/questions',
    'reconciler/inspection',
    'reconciler/engine',
    'reconciler/notify',
    'reconciler/meta-info',
    'reconciler/process',
  ],
};

/** Why a file in `from` may not import one in `to`; undefined where it may. Folders are relative to the root of the project. */
export function whyNot(from, to) {
  if (from === to) return undefined;
  const own = place(from);
  const other = place(to);
  if (!own) return `${from} is not drawn in rooms.mjs`;
  if (!other) return `${to} is not a room of the product: see rooms.mjs`;
  if (own.tower === other.tower) {
    return other.floor < own.floor ? undefined : `${to} stands above ${from}: see rooms.mjs`;
  }
  return other.tower === 'shared' ? undefined : `${from} and ${to} stand in different towers: see rooms.mjs`;
}

/** The same for a test or a fixture: within its tower it may go up. */
export function whyNotInTests(from, to) {
  const [own, other] = [place(from), place(to)];
  return own && other && own.tower === other.tower ? undefined : whyNot(from, to);
}

function place(folder) {
  for (const [tower, floors] of Object.entries(towers)) {
    const floor = floors.indexOf(folder);
    if (floor >= 0) return { tower, floor };
  }
  return undefined;
}
