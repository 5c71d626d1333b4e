import type { AdmissionHook, AdmissionRequest, AdmissionResponse } from '../apiserver/admission';
import { arrayAt, objectAt, type JsonObject, type JsonValue } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { storeKey } from '../apiserver/store';
import { baselineAnnotation } from './baseline-text';
import { isEngine } from './engine-user';
import { podTemplateOf } from './usage';
import type { KubeObject } from '../apiserver/objects';

/** What an admission webhook removes from one of Reroll's writes. */
export type TakenOut = 'marker' | 'record' | 'marker and record';

/** What a third-party admission webhook does with Reroll's writes to the workloads of a namespace. */
export type Habit =
  { readonly kind: 'takes out'; readonly what: TakenOut } | { readonly kind: 'refuses what is stored' };

/** What it does to writes. A workload is named like `Deployment shop/web`. */
export interface GatekeeperEvents {
  readonly told: (who: string, what: string) => void;
  /** Called for each altered write, even if nothing of it is left to be stored. */
  readonly onTakenOut: (workload: string) => void;
  readonly onRefused: (workload: string) => void;
}

/** The story line by which `FaultSituations` recognizes this refusal. */
export const refusesJob = 'refuses to create a Job anew, of which it let the dry run pass';

interface Altered {
  readonly workload: string;
  readonly what: TakenOut;
  readonly baseline: JsonValue | undefined;
}

const rolledKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
const workloadKinds = new Set([...rolledKinds, 'CronJob', 'Job']);
const allowed: AdmissionResponse = { allowed: true };

/**
 * A third-party admission webhook in front of Reroll's writes. It may remove what Reroll writes, or refuse a write
 * after it let the dry run pass. Like clusters with OwnerReferencesPermissionEnforcement, it also refuses owner
 * references with `blockOwnerDeletion`, because Reroll has no right to the finalizers of the owner.
 */
export class Gatekeeper {
  readonly #on: GatekeeperEvents;
  readonly #habits = new Map<string, Habit>();
  #altered: Altered | undefined;

  constructor(on: GatekeeperEvents) {
    this.#on = on;
  }

  get hook(): AdmissionHook {
    return { name: 'gatekeeper.example', review: (request) => this.#review(request) };
  }

  begin(namespace: string, habit: Habit): void {
    this.#habits.set(namespace, habit);
    this.#on.told(
      'gatekeeper',
      `${habit.kind}${'what' in habit ? ` the ${habit.what} of what is written` : ''} in ${namespace}`,
    );
  }

  end(namespace: string): void {
    if (this.#habits.delete(namespace)) this.#on.told('gatekeeper', `lets be what is in ${namespace}`);
  }

  relieve(): void {
    this.#habits.clear();
  }

  /** What was removed from this write on its way, if anything. */
  takenOutOf({ kind, key, object, user }: WriteRecord): TakenOut | undefined {
    const altered = this.#altered;
    if (!altered || !isEngine(user) || altered.workload !== `${kind.kind} ${key}`) return undefined;
    if (altered.baseline !== object.metadata.annotations?.[baselineAnnotation]) return undefined;
    this.#altered = undefined;
    return altered.what;
  }

  #review({
    user,
    kind,
    namespace = '',
    name,
    operation,
    dryRun,
    object,
    oldObject,
  }: AdmissionRequest): AdmissionResponse {
    if (!isEngine(user) || !workloadKinds.has(kind.kind) || !object || operation === 'DELETE') return allowed;
    const owners = arrayAt(object, 'metadata', 'ownerReferences');
    if (owners.some((owner) => objectAt(owner)['blockOwnerDeletion'] === true)) {
      const message =
        'cannot set blockOwnerDeletion if an ownerReference refers to a resource you can’t set finalizers on';
      return { allowed: false, message };
    }
    const habit = this.#habits.get(namespace);
    const workload = `${kind.kind} ${storeKey(namespace, name)}`;
    if (habit?.kind === 'refuses what is stored') {
      if (dryRun) return allowed;
      this.#on.onRefused(workload);
      if (kind.kind === 'Job' && owners.length === 0) this.#on.told('gatekeeper', refusesJob);
      return { allowed: false, message: 'frozen' };
    }
    if (!habit || !oldObject || !rolledKinds.has(kind.kind)) return allowed;
    const patch = takingOut(habit.what, object, oldObject);
    if (patch.length === 0) return allowed;
    if (!dryRun) {
      const kept = habit.what === 'marker' ? object : oldObject;
      const baseline = objectAt(kept, 'metadata', 'annotations')[baselineAnnotation];
      this.#on.onTakenOut(workload);
      this.#altered = { workload, what: habit.what, baseline };
    }
    return { allowed: true, patch };
  }
}

/** The removal as a JSON patch; empty if the write contains nothing of that kind. */
function takingOut(what: TakenOut, object: JsonObject, oldObject: JsonObject): readonly JsonValue[] {
  const patch: JsonObject[] = [];
  const [template, former] = [object, oldObject].map((each) => podTemplateOf(each as unknown as KubeObject));
  const isMarked = JSON.stringify(template) !== JSON.stringify(former);
  if (what !== 'record' && isMarked) patch.push({ op: 'replace', path: '/spec/template', value: former ?? {} });
  const [annotations, formers] = [object, oldObject].map((each) => objectAt(each, 'metadata', 'annotations'));
  if (what !== 'marker' && annotations?.[baselineAnnotation] !== formers?.[baselineAnnotation]) {
    patch.push({ op: 'replace', path: '/metadata/annotations', value: formers ?? {} });
  }
  return patch;
}
