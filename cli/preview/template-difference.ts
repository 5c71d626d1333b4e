import { fieldAt, isObject, listOf, objectOf, sameJson } from '../../shared/domain/kubernetes/json-value';
import { isMarkerVariable } from '../../shared/domain/marks/carry-over';

/** Fields whose texts are quantities: `0.5` and `500m` are the same. */
const quantityFields: readonly string[] = ['limits', 'requests', 'sizeLimit', 'divisor'];

/** Fields whose names people choose, so that none of the others is meant: an empty label is a label. */
const mapFields: readonly string[] = ['annotations', 'labels', 'matchLabels', 'nodeSelector'];

/**
 * Fields that the API server stores only if they are not empty, zero or `false`. Without one of the others, something
 * else may be in force.
 */
const unstoredFields: readonly string[] = [
  ...['hostIPC', 'hostNetwork', 'hostPID', 'hostPort', 'initialDelaySeconds', 'readOnly', 'stdin', 'stdinOnce', 'tty'],
  ...['effect', 'fsType', 'host', 'hostIP', 'hostname', 'key', 'level', 'medium', 'name', 'nodeName', 'operator'],
  ...['prefix', 'priorityClassName', 'role', 'serviceAccount', 'serviceAccountName', 'subPath', 'subPathExpr'],
  ...['subdomain', 'user', 'value', 'workingDir'],
];

/**
 * Whether an apply of a manifest would change the pod template. `last` is the manifest that `kubectl apply` wrote last:
 * only it shows a field that was taken out.
 */
export function changesTemplate(
  templatePath: readonly string[],
  { manifest, live, last }: { readonly manifest: unknown; readonly live: unknown; readonly last: unknown },
): boolean {
  const written = fieldAt(manifest, templatePath);
  if (!isHeldBy(written, fieldAt(live, templatePath), 'fields')) return true;
  return last !== undefined && !sameJson(written, fieldAt(last, templatePath));
}

type Within = 'fields' | 'quantities' | 'map';

/** Whether a stored value has all that a written one says. The API server has added defaults to the stored one. */
function isHeldBy(written: unknown, stored: unknown, within: Within): boolean {
  // `null` asks for the default.
  if (written === null || written === undefined) return true;
  if (Array.isArray(written)) {
    // An apply keeps the marker of a restart: no manifest has ever had it.
    const names = new Set(written.map((item) => objectOf(item)['name']));
    const items = listOf(stored).filter((item) => {
      const variable = objectOf(item);
      return !isMarkerVariable(variable) || names.has(variable['name']);
    });
    return items.length === written.length && written.every((item, index) => isHeldBy(item, items[index], within));
  }
  if (isObject(written)) {
    // An empty field is not stored.
    if (!isObject(stored)) return Object.values(written).every((value) => value === null) && stored === undefined;
    return Object.entries(written).every(
      ([field, value]) =>
        (stored[field] === undefined && within !== 'map' && isUnstored(field, value)) ||
        isHeldBy(value, stored[field], withinField(field, within)),
    );
  }
  if (written === stored) return true;
  return within === 'quantities' && quantityOf(written) === quantityOf(stored);
}

function withinField(field: string, within: Within): Within {
  if (quantityFields.includes(field)) return 'quantities';
  return within === 'fields' && mapFields.includes(field) ? 'map' : within;
}

/** Whether a value is not stored, because it is the one that Go gives a field that is missing. */
function isUnstored(field: string, value: unknown): boolean {
  return (value === '' || value === false || value === 0) && unstoredFields.includes(field);
}

const suffixes: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** A quantity in billionths, so that equal ones are the same number; a text that is none as it is. */
function quantityOf(value: unknown): unknown {
  const [, digits = '', suffix = ''] = /^([0-9.]+)([a-zA-Z]*)$/.exec(String(value)) ?? [];
  const factor = suffixes[suffix];
  return digits === '' || factor === undefined ? value : Math.round(Number(digits) * factor * 1e9);
}
