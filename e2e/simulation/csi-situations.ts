import type { WriteRecord } from '../apiserver/store';
import { recordedOf } from './baseline-text';
import { sameContent, type Content } from './contents';
import { isEngine } from './engine-user';
import { isOfEngine, isOfWorkload, type EngineWrite } from './lives';
import { isClass, isOfPodStatus, mountedOf, rotationOf } from './rotations';
import { templateOf } from './usage';

/** The situations that the worlds of a batch with a CSI driver must reach. */
export const csiSituations = [
  'a workload was restarted for a rotation',
  'a workload was restarted for a rotation by a process that began after it',
  'another pod told of a rotation that was answered already',
  'a pod came with versions that another pod of its class was not shown yet',
  'a status came back under its name with other versions',
  'the last pod that told of a rotation went',
  'the API of a CSI driver came while a process led',
] as const;
export type CsiSituation = (typeof csiSituations)[number];

interface Rotation {
  readonly content: Content;
  readonly revision: number;
  readonly pods: Set<string>;
  isAnswered: boolean;
}

/** Notes which of these situations a world reaches. */
export class CsiSituations {
  readonly #reached = new Set<CsiSituation>();
  /** The newest rotation of each class. */
  readonly #rotations = new Map<string, Rotation>();
  readonly #shown = new Map<string, { readonly source: string; readonly content: Content }>();
  readonly #gone = new Map<string, Content>();
  readonly #beganAt = new Map<string, number>();

  get reached(): ReadonlySet<CsiSituation> {
    return this.#reached;
  }

  written(write: WriteRecord): void {
    const { user, kind, revision } = write;
    if (isEngine(user) && !this.#beganAt.has(user)) this.#beganAt.set(user, revision);
    if (isOfPodStatus(write)) this.#statusWritten(write);
    if (kind.kind === 'SecretProviderClass' && this.#beganAt.size > 0) {
      this.#reached.add('the API of a CSI driver came while a process led');
    }
    if (isOfWorkload(write) && isOfEngine(write)) this.#answered(write);
  }

  #statusWritten(write: WriteRecord): void {
    const { key, type, object, revision } = write;
    const { source, content } = mountedOf(object);
    const newest = this.#rotations.get(source);
    if (type === 'DELETED') {
      this.#shown.delete(key);
      if (content) this.#gone.set(key, content);
      if (newest?.pods.delete(key) === true && newest.pods.size === 0) {
        this.#reached.add('the last pod that told of a rotation went');
      }
      return;
    }
    if (!content) return;
    const rotation = rotationOf(write);
    if (rotation && newest && sameContent(newest.content, content)) {
      newest.pods.add(key);
      if (newest.isAnswered) this.#reached.add('another pod told of a rotation that was answered already');
    } else if (rotation) {
      this.#rotations.set(source, { content, revision, pods: new Set([key]), isAnswered: false });
    } else if (!this.#shown.has(key)) this.#came(key, source, content);
    this.#shown.set(key, { source, content });
  }

  #came(key: string, source: string, content: Content): void {
    const others = [...this.#shown.values()].filter((other) => other.source === source);
    if (others.some((other) => !sameContent(other.content, content))) {
      this.#reached.add('a pod came with versions that another pod of its class was not shown yet');
    }
    const before = this.#gone.get(key);
    if (before && !sameContent(before, content)) {
      this.#reached.add('a status came back under its name with other versions');
    }
  }

  #answered({ object, previous, user }: EngineWrite): void {
    if (templateOf(previous) === templateOf(object)) return;
    const before = recordedOf(previous);
    for (const [source, entry] of recordedOf(object)) {
      const newest = this.#rotations.get(source);
      if (!isClass(source) || !newest || before.get(source) === undefined || before.get(source) === entry) continue;
      newest.isAnswered = true;
      this.#reached.add('a workload was restarted for a rotation');
      if ((this.#beganAt.get(user) ?? 0) > newest.revision) {
        this.#reached.add('a workload was restarted for a rotation by a process that began after it');
      }
    }
  }
}
