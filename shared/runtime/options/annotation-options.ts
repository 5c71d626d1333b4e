import { defaultAnnotationKeys, type AnnotationKeys } from '../../domain/annotations/annotations';
import { annotationKey } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

function annotationRow(flag: string, key: keyof AnnotationKeys, describe: string) {
  return {
    flag,
    schema: annotationKey,
    default: defaultAnnotationKeys[key],
    describe: `Annotation key ${describe}.`,
    accepts: 'an annotation key such as example.com/reload, different from all others',
  } as const;
}

/** Reloader's keys that have a flag, by their names in {@link AnnotationKeys}: rows that the reconciler and lint share. */
export const annotationOptionTable = {
  auto: annotationRow('auto-annotation', 'auto', 'that switches restarts on for all sources a workload uses'),
  configMapAuto: annotationRow(
    'configmap-auto-annotation',
    'configMapAuto',
    'that switches restarts on for ConfigMaps only',
  ),
  secretAuto: annotationRow('secret-auto-annotation', 'secretAuto', 'that switches restarts on for Secrets only'),
  configMapReload: annotationRow('configmap-annotation', 'configMapReload', 'with a list of ConfigMaps'),
  secretReload: annotationRow('secret-annotation', 'secretReload', 'with a list of Secrets'),
  search: annotationRow('auto-search-annotation', 'search', 'with which a workload searches for matching sources'),
  match: annotationRow('search-match-annotation', 'match', 'with which a source matches a search'),
  ignore: annotationRow('ignore-annotation', 'ignore', 'for a source whose changes are ignored'),
  pausePeriod: annotationRow(
    'pause-deployment-annotation',
    'pausePeriod',
    'with the time for which a Deployment is paused after a change',
  ),
  pausedAt: annotationRow(
    'pause-deployment-time-annotation',
    'pausedAt',
    'with the time at which Reroll paused a Deployment',
  ),
} satisfies OptionTable & Partial<Record<keyof AnnotationKeys, unknown>>;

type Values = OptionValues<typeof annotationOptionTable>;

/** All annotation keys of an install: those without a flag have their defaults. */
export function annotationKeysOf(values: Values): AnnotationKeys {
  const { auto, configMapAuto, secretAuto, configMapReload, secretReload, search, match, ignore } = values;
  const { pausePeriod, pausedAt } = values;
  return {
    ...defaultAnnotationKeys,
    ...{ auto, configMapAuto, secretAuto, configMapReload, secretReload, search, match, ignore },
    ...{ pausePeriod, pausedAt },
  };
}

/** Reports settings that share a key: one annotation would mean both of them. */
export function annotationProblems(values: Partial<Values>): readonly string[] {
  const flags = Object.entries(annotationOptionTable).map(([name, { flag }]) => ({
    flag,
    key: values[name as keyof Values],
  }));
  return flags.flatMap(({ flag, key }, index) =>
    flags
      .slice(index + 1)
      .filter((other) => key !== undefined && other.key === key)
      .map((other) => `--${flag} and --${other.flag} are both ${key ?? ''}: give each a key of its own`),
  );
}
