import { defaultAnnotationKeys } from '../annotations/annotations';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/** Short names of annotations, used in the rows. */
export const shortKeys = Object.freeze({
  ...defaultAnnotationKeys,
  auto: 'A',
  configMapAuto: 'CA',
  secretAuto: 'SA',
  secretProviderClassAuto: 'PA',
  configMapReload: 'CR',
  secretReload: 'SR',
  secretProviderClassReload: 'PR',
  configMapExclude: 'CX',
  secretExclude: 'SX',
  secretProviderClassExclude: 'PX',
  search: 'SE',
  match: 'MA',
  kind: 'KI',
  ignore: 'IG',
});

export const sourceKindOf = { CM: 'ConfigMap', Secret: 'Secret', SPC: 'SecretProviderClass' } as const;

export interface TruthTableRow {
  readonly n: number;
  readonly changed: readonly [keyof typeof sourceKindOf, string];
  readonly resource?: Record<string, string>;
  readonly md?: Record<string, string>;
  readonly pod?: Record<string, string>;
  readonly all?: true;
  readonly kind?: WorkloadKindName;
  readonly ignored?: readonly WorkloadKindName[];
  readonly reload: boolean;
  /** Restart only if referenced; meaningful only if `reload` is true. */
  readonly auto?: boolean;
  readonly errors?: number;
}

const app = ['CM', 'app'] as const;
const app1 = ['CM', 'app-1'] as const;
const secret = ['Secret', 'app'] as const;
const spc = ['SPC', 'spc'] as const;
const yes = { reload: true, auto: true };
const named = { reload: true, auto: false };
const no = { reload: false };

/** Reloader's decisions, row by row, taken from its code. */
export const truthTable: readonly TruthTableRow[] = [
  { n: 1, changed: app, ...no },
  { n: 2, changed: app, all: true, ...yes },
  { n: 3, changed: app, md: { A: 'true' }, ...yes },
  { n: 4, changed: app, md: { A: 'false' }, ...no },
  { n: 5, changed: app, md: { A: 'false' }, all: true, ...no },
  { n: 6, changed: app, md: { A: '' }, all: true, ...yes },
  { n: 7, changed: app, md: { A: 'yes' }, all: true, ...no },
  { n: 8, changed: app, md: { A: '1' }, ...yes },
  { n: 9, changed: app, md: { A: 'tRUE' }, ...no },
  { n: 10, changed: app, md: { A: ' true' }, ...no },
  { n: 11, changed: app, md: { CA: 'true' }, ...yes },
  { n: 12, changed: secret, md: { CA: 'true' }, ...no },
  { n: 13, changed: secret, md: { CA: 'true' }, all: true, ...yes },
  { n: 14, changed: app, md: { A: 'false', CA: 'true' }, ...yes },
  { n: 15, changed: app, md: { A: 'true', CA: 'false' }, ...yes },
  { n: 16, changed: app, md: { CA: 'false' }, all: true, ...no },
  { n: 17, changed: secret, md: { CA: 'false' }, all: true, ...yes },
  { n: 18, changed: app, md: { CR: 'app' }, ...named },
  { n: 19, changed: app, md: { CR: 'foo, app ,bar' }, ...named },
  { n: 20, changed: app1, md: { CR: 'app' }, ...no },
  { n: 21, changed: app1, md: { CR: 'app-.*' }, ...named },
  { n: 22, changed: ['CM', 'foobar'], md: { CR: 'foo|baz' }, ...named },
  { n: 23, changed: ['CM', 'foobar'], md: { CR: '(foo|baz)' }, ...no },
  { n: 24, changed: ['CM', 'myXcfg'], md: { CR: 'my.cfg' }, ...named },
  { n: 25, changed: app, md: { CR: '*' }, ...named },
  { n: 26, changed: app, md: { CR: '^app$' }, ...named },
  { n: 27, changed: ['CM', 'aaa'], md: { CR: 'a{1,3}' }, ...no },
  { n: 28, changed: app, md: { CR: 'app[,app' }, errors: 1, ...named },
  { n: 29, changed: app, md: { CR: 'app[' }, errors: 1, ...no },
  { n: 30, changed: app, md: { CR: 'app[', A: 'true' }, errors: 1, ...yes },
  { n: 31, changed: app, md: { CR: 'app,' }, ...named },
  { n: 32, changed: app, md: { CR: 'app', A: 'false' }, ...named },
  { n: 33, changed: app, md: { CR: 'app', A: 'true' }, ...named },
  { n: 34, changed: app, md: { CR: 'other', A: 'true' }, ...yes },
  { n: 35, changed: app, md: { CR: 'other' }, ...no },
  { n: 36, changed: app, md: { CR: 'other' }, all: true, ...yes },
  { n: 37, changed: secret, md: { CR: 'app' }, ...no },
  { n: 38, changed: app, resource: { IG: 'true' }, md: { CR: 'app', A: 'true' }, all: true, ...no },
  { n: 39, changed: app, resource: { IG: 'True' }, md: { A: 'true' }, ...yes },
  { n: 40, changed: app, md: { IG: 'true', A: 'true' }, ...yes },
  { n: 41, changed: app, md: { A: 'true', CX: 'x, app' }, ...no },
  { n: 42, changed: app, md: { CR: 'app', CX: 'app' }, ...no },
  { n: 43, changed: app1, md: { A: 'true', CX: 'app-.*' }, ...yes },
  { n: 44, changed: secret, md: { A: 'true', CX: 'app' }, ...yes },
  { n: 45, changed: app, md: { CX: 'app' }, all: true, ...no },
  { n: 46, changed: app, md: { A: 'true', CX: '' }, ...yes },
  { n: 47, changed: app, resource: { MA: 'true' }, md: { SE: 'true' }, ...yes },
  { n: 48, changed: app, md: { SE: 'true' }, ...no },
  { n: 49, changed: app, resource: { MA: 'true' }, ...no },
  { n: 50, changed: app, resource: { MA: 'True' }, md: { SE: 'true' }, ...no },
  { n: 51, changed: app, resource: { MA: 'true' }, md: { SE: '1' }, ...no },
  { n: 52, changed: app, resource: { MA: 'true' }, md: { SE: 'true', A: 'false' }, ...yes },
  { n: 53, changed: app, md: { SE: 'true', A: 'true' }, ...yes },
  { n: 54, changed: app, md: { SE: 'true' }, all: true, ...yes },
  { n: 55, changed: app, pod: { A: 'true' }, ...yes },
  { n: 56, changed: app, md: { A: 'false' }, pod: { A: 'true' }, ...no },
  { n: 57, changed: app, md: { SE: '' }, pod: { A: 'true' }, ...no },
  { n: 58, changed: app, md: { CR: '' }, pod: { A: 'true' }, ...no },
  { n: 59, changed: app, md: { SR: 'x' }, pod: { A: 'true' }, ...yes },
  { n: 60, changed: app, md: { SA: 'true' }, pod: { A: 'true' }, ...yes },
  { n: 61, changed: app, md: { CX: 'app' }, pod: { A: 'true' }, ...no },
  { n: 62, changed: app, pod: { A: 'true', CX: 'app' }, ...yes },
  { n: 63, changed: app, resource: { MA: 'true' }, pod: { SE: 'true' }, ...yes },
  { n: 64, changed: app, pod: { A: 'false' }, all: true, ...no },
  { n: 65, changed: app, kind: 'Job', ignored: ['Job'], md: { A: 'true' }, ...no },
  { n: 66, changed: app, kind: 'CronJob', ignored: ['Job'], md: { A: 'true' }, ...yes },
  // In Reloader, one bad element in --ignored-workload-types makes it ignore the whole list silently (67: `Jobs`, 68:
  // `jobs,deployments`). Here the option parser rejects bad elements, so a list that arrives is valid.
  { n: 67, changed: app, kind: 'Job', ignored: [], md: { A: 'true' }, ...yes },
  { n: 68, changed: app, kind: 'Job', ignored: ['Job', 'CronJob'], md: { A: 'true' }, ...no },
  { n: 69, changed: spc, md: { A: 'true' }, ...yes },
  { n: 70, changed: spc, md: { PA: 'true' }, ...yes },
  { n: 71, changed: spc, md: { PR: 'spc' }, ...named },
  { n: 72, changed: spc, md: { A: 'true', PX: 'spc' }, ...no },
  { n: 73, changed: spc, resource: { IG: 'true' }, md: { A: 'true' }, ...no },
  // For a deletion that it missed, Reloader makes up a source without a name and decides to reload: every workload
  // restarts.
  { n: 74, changed: ['CM', ''], ...no },
];
