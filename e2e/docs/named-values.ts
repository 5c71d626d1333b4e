import { parse } from 'yaml';
import { chartValues } from '../deploy/chart-values';
import { codeBlocks, codeSpans } from './pages';

/** Chart values as a page shows them: YAML blocks that are not Kubernetes objects. */
export function valuesSnippets(text: string): readonly Readonly<Record<string, unknown>>[] {
  const blocks = codeBlocks(text).filter(({ language }) => language === 'yaml');
  // A block of several documents contains Kubernetes objects, too.
  const maps = blocks.filter((block) => !/^(---|apiVersion:|- )/m.test(block.text.replaceAll(/^ .*$/gm, '')));
  return maps.map((block) => parse(block.text) as Readonly<Record<string, unknown>>);
}

/** The paths of all leaves of a values tree, such as `reloader.deployment.replicas`. A list is one leaf. */
function pathsOf(value: unknown, prefix = ''): readonly string[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap) return [prefix];
  return Object.entries(value).flatMap(([key, below]) => pathsOf(below, prefix === '' ? key : `${prefix}.${key}`));
}

/** The paths set with `--set` in commands that install our chart. */
function pathsSet(text: string): readonly string[] {
  const commands = codeBlocks(text).flatMap((block) => block.text.replaceAll('\\\n', ' ').split('\n'));
  const ours = commands.filter((command) => /\bhelm\b.*\/charts\/reroll\b/.test(command));
  return ours.flatMap((command) =>
    [...command.matchAll(/--set(?:-string|-file|-json)? '?([\w.]+)=/g)].map(([, path = '']) => path),
  );
}

const values = chartValues();
const tops = new Set(values.map(({ path }) => path.split('.')[0]));

/**
 * The paths in code spans, such as `reloader.netpol.enabled` or `certificates.mode=certManager`. File names are left
 * out.
 */
function pathsSpoken(text: string): readonly string[] {
  return codeSpans(text).flatMap((span) => {
    const [, path = ''] = /^([\w]+(?:\.\w+)+)(?:=.*)?$/.exec(span) ?? [];
    return tops.has(path.split('.')[0]) && !/\.(md|ts|ya?ml|json|tpl)$/.test(path) ? [path] : [];
  });
}

/**
 * Whether the chart has a value: the value itself, a path below a value whose keys users choose, or a group of values.
 */
export function isValue(asked: string): boolean {
  return values.some(
    ({ path, default: value }) =>
      path === asked ||
      path.startsWith(`${asked}.`) ||
      (asked.startsWith(`${path}.`) && typeof value === 'object' && !Array.isArray(value)),
  );
}

/** All values of the chart that a page names. */
export function namedValues(text: string): readonly string[] {
  return [...valuesSnippets(text).flatMap((snippet) => pathsOf(snippet)), ...pathsSet(text), ...pathsSpoken(text)];
}
