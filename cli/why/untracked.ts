import { ownPrefix } from '../../shared/domain/annotations/annotations';
import type { LintFinding } from '../../shared/domain/lint/lint-workload';
import type { WorkloadAccount } from '../evidence/account';
import { bad, headline, type Case, type Headline } from './case';

type Untracked = Extract<WorkloadAccount, { readonly tracked: false }>;

/** Codes of mistakes that explain why a workload asks for nothing, the likeliest first. */
const likely: readonly string[] = ['bad-boolean', 'unknown-annotation', 'wrong-place', 'narrowed-out', 'nothing-asked'];

/** What the leader says without a look at the object: of a name or namespace that somebody mistyped, too. */
const saidUnseen: ReadonlySet<string> = new Set(['namespace-not-watched', 'namespace-not-selected', 'kind-ignored']);

/** Why nothing restarts a workload. */
export function untrackedHeadline(about: Case, { because, why }: Untracked): Headline {
  const { kind, namespace, name, facts, install } = about;
  const nowhere = bad(`${kind} ${name} does not exist in namespace ${namespace}`);
  if (about.isAbsent && saidUnseen.has(because)) return nowhere;
  switch (because) {
    case 'not-found':
      return facts ? bad(`does not restart: Reroll has not seen it yet`) : nowhere;
    case 'kind-ignored':
      return headline(
        `does not restart: Reroll leaves every ${kind} alone (${kind === 'Rollout' ? '--is-Argo-Rollouts=false' : '--ignored-workload-types'})`,
      );
    case 'namespace-not-watched':
      return headline(
        `does not restart: Reroll does not watch namespace ${namespace} (--namespaces, --namespaces-to-ignore)`,
      );
    case 'namespace-not-selected': {
      const { isEverything, text } = install.settings.selection.namespaceSelector;
      const selector = isEverything ? '--namespace-selector' : `--namespace-selector=${text}`;
      return headline(`does not restart: the labels of namespace ${namespace} do not match ${selector}`);
    }
    case 'not-opted-in':
      return headline(`does not restart: ${whyNotOptedIn(about) ?? why}`);
    case 'job-of-a-cronjob': {
      const owner = facts?.record.controlledBy?.name;
      return headline(
        `does not restart: CronJob ${owner ?? ''} controls this Job, so annotate the CronJob`.replace('  ', ' '),
      );
    }
    case 'policy-never':
      return headline(`does not restart: its annotation reroll.dev/${kind.toLowerCase()}-policy is "never"`);
    case 'being-recreated':
      return headline('is being restarted: Reroll has deleted the Job and creates it again');
    case 'not-listed':
      return bad(
        `does not restart: Reroll does not see any ${kind}: the API server does not serve them, or Reroll is not allowed to list them`,
      );
    default:
      return headline(`does not restart: ${why}`);
  }
}

function whyNotOptedIn({ facts, install }: Case): string | undefined {
  if (!facts) return undefined;
  const { findings, switchedOff } = facts;
  const rank = (code: string): number => (likely.includes(code) ? likely.indexOf(code) : likely.length);
  const [finding] = findings.filter(saysWhether).toSorted((left, right) => rank(left.code) - rank(right.code));
  if (finding) return withoutTitle(finding.message);
  if (switchedOff !== undefined) return `${switchedOff} switches restarts off`;
  return `nothing on it asks for restarts; annotate it with ${install.settings.keys.auto}: "true"`;
}

/** Reroll's own annotations say when and how to restart, and never whether. */
export function saysWhether({ code, key }: LintFinding): boolean {
  return code === 'nothing-asked' || !key.startsWith(ownPrefix);
}

/** A finding begins with the object that it is about, which the answer names anyway. */
export function withoutTitle(message: string): string {
  return message.slice(message.indexOf(': ') + 2);
}
