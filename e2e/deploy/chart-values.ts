import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Document, type YAMLMap } from 'yaml';
import { chartDir } from './rendered-chart';

/** A value of the chart that may be set. */
export interface ChartValue {
  /** `reloader.deployment.replicas` */
  readonly path: string;
  readonly default: unknown;
  /** What stands above it. */
  readonly describe: string;
}

/** Maps whose keys are the user's are values themselves; a few that are the chart's are taken whole. */
const whole = new Set(['resources', 'seccompProfile', 'labels']);

export function valuesText(): string {
  return readFileSync(path.join(chartDir, 'values.yaml'), 'utf8');
}

/** The values of the chart in the order of its file, with what is said of them there. */
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
    // To the parser, what stands above the first key stands above the map.
    const above = index === 0 ? map.commentBefore : key.commentBefore;
    const describe = (above ?? '').split('\n').map((line) => line.trim());
    return [{ path: at, default: isNode(value) ? value.toJS(document) : null, describe: describe.join(' ').trim() }];
  });
}
