import { RerollError } from '../errors';
import { workloadKinds, type WorkloadKindName } from '../kubernetes/workload-kinds';

/** A workload of the same namespace. */
export interface LocalWorkloadName {
  readonly kind: WorkloadKindName;
  readonly name: string;
}

/** A text that does not name workloads. */
export class RestartOrderError extends RerollError {
  constructor(problem: string) {
    super(problem, { code: 'INVALID_RESTART_ORDER' });
  }
}

/** Each is asked about at each look. More predecessors than that are better told by waves. */
export const maxPredecessors = 20;
const maxWave = 1_000_000;

const waveForm = /^\s*([+-]?\d{1,7})\s*$/;
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const maxShownLength = 60;

/** Reads an integer such as `10` or `-1`; undefined for any other text. */
export function parseWave(text: string): number | undefined {
  const wave = Number(waveForm.exec(text)?.[1]);
  return Math.abs(wave) <= maxWave ? wave : undefined;
}

/** Reads `deployment/db, statefulset/cache`. Throws a RestartOrderError. */
export function parsePredecessors(text: string): readonly LocalWorkloadName[] {
  const parts = text.split(',', maxPredecessors + 2).map((part) => part.trim());
  const named = parts.filter((part) => part !== '');
  if (named.length === 0) throw new RestartOrderError('names no workload');
  if (named.length > maxPredecessors) throw new RestartOrderError(`names more than ${maxPredecessors} workloads`);
  return named.map(predecessor);
}

function predecessor(text: string): LocalWorkloadName {
  const slash = text.indexOf('/');
  const kind = kindNamed(text.slice(0, Math.max(0, slash)));
  const name = text.slice(slash + 1);
  // A copy: V8 would keep the whole annotation for a slice of it.
  if (kind && objectName.test(name)) return { kind, name: Buffer.from(name).toString() };
  throw new RestartOrderError(`${JSON.stringify(text.slice(0, maxShownLength))} is not a kind and a name`);
}

function kindNamed(text: string): WorkloadKindName | undefined {
  const lower = text.toLowerCase();
  return workloadKinds.find(({ kind, resource }) => kind.toLowerCase() === lower || resource.plural === lower)?.kind;
}
