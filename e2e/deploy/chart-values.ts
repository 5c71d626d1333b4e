import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Document, type YAMLMap } from 'yaml';
import { chartDir } from './rendered-chart';

/** A value of the chart that may be set. */
export interface ChartValue {
  /** Such as `reloader.deployment.replicas`. */
  readonly path: string;
  readonly default: unknown;
  /** The comment above it in values.yaml. */
  readonly describe: string;
}

/** Maps with default keys that count as one value. Empty maps always do: users choose their keys. */
const whole = new Set(['resources', 'seccompProfile', 'labels']);

export function valuesText(): string {
  return readFileSync(path.join(chartDir, 'values.yaml'), 'utf8');
}

/** The values of the chart in file order, with their comments as descriptions. */
export function chartValues(text = valuesText()): readonly ChartValue[] {
  const document = parseDocument(text);
  return isMap(document.contents) ? valuesOf(document, document.contents, '') : [];
}

function valuesOf(document: Document, map: YAMLMap, prefix: string): readonly ChartValue[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const at = `${prefix}${name}`;
    if (isMap(value) && value.items.length > 0 && !whole.has(name)) return valuesOf(document, value, `${at}.`);
    // The parser attaches a comment above the first key to the map.
    const above = index === 0 ? map.commentBefore : key.commentBefore;
    const describe = (above ?? '').split('\n').map((line) => line.trim());
    return [{ path: at, default: isNode(value) ? value.toJS(document) : null, describe: describe.join(' ').trim() }];
  });
}
