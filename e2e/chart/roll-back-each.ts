import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import type { KubeObject } from '../apiserver/objects';
import { untilKept } from '../cluster/kept-content';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { ClusterUnderTest } from '../webhook/cluster-under-test';

/** Sources whose content is put back. */
const kinds = {
  ConfigMap: { build: configMap, from: fromConfigMap },
  Secret: { build: secret, from: fromSecret },
} as const;
type SourceKind = keyof typeof kinds;

/** Pods of these become ready, but not after a restart by Reroll. */
const podLabels = { 'control-plane.e2e/pod': 'broken-by-restart' };
/** The second bad content takes the place of the first, as that which is kept for a look. */
const badColors = ['black', 'white'];
/** Each bad content breaks one user. */
const users = badColors.length + 1;

/** Breaks a source of each kind twice, one after the other, and expects its content to be put back each time. */
export async function rollBackEach(cluster: ClusterUnderTest, labels: Readonly<Record<string, string>>): Promise<void> {
  const each = (Object.keys(kinds) as readonly SourceKind[]).map(async (kind) => {
    const shop = await TestNamespace.create(cluster, `${kind.toLowerCase()}-is-put-back`, labels);
    await rollBack(shop, kind);
  });
  await Promise.all(each);
}

async function rollBack(shop: TestNamespace, kind: SourceKind): Promise<void> {
  const name = 'shared';
  const { build, from } = kinds[kind];
  await shop.create(
    build({
      ...{ name, data: { color: 'red' } },
      annotations: { 'reroll.dev/on-failure': 'rollback', 'reroll.dev/stages': 'on' },
    }),
  );
  const annotations = { ...auto, 'reroll.dev/strategy': 'annotations' };
  for (let index = 0; index < users; index++) {
    const user = { name: `app-${index}`, annotations, podLabels, envFrom: [from(name)], replicas: 1 };
    await shop.create(deployment(user));
  }
  const has = (color: string) => (object: KubeObject) => colorOf(kind, object) === color;
  await untilKept(shop, kind, 'good', has('red'));
  for (const color of badColors) {
    // Whoever still has the bad content before keeps the good one from being put back: it is older.
    await shop.laterChangeAnswered();
    await shop.patch(kind, name, { data: { color: kind === 'Secret' ? base64(color) : color } });
    await untilKept(shop, kind, 'bad', has(color));
    await pollUntil(
      `${kind} ${name} to be as it was before ${color}`,
      async () => (colorOf(kind, await shop.stored(kind, name)) === 'red' ? true : undefined),
      patient,
    );
  }
}

/** Objects of a list do not tell their kind. */
function colorOf(kind: SourceKind, object: KubeObject): string {
  const { color = '' } = object['data'] as Readonly<Record<string, string>>;
  return kind === 'Secret' ? Buffer.from(color, 'base64').toString() : color;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
