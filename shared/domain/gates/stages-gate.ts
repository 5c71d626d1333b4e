import type { StageSettings } from '../gate-settings/stage-settings';
import type { LocalSourceRef } from '../sources/source';
import { formatDuration } from '../text/duration';
import { withoutMs } from '../text/without-ms';
import type { ClosedGate } from './gate';
import type { RestartedUser, RolloutStage } from './source-rollout';

export interface StagesQuestion {
  readonly source: LocalSourceRef;
  readonly stage: Exclude<RolloutStage, { readonly is: 'open' }>;
  /** Those that restart before this one: `Deployment web`, and how many besides. */
  readonly first: { readonly title: string; readonly others: number } | undefined;
  readonly settings: StageSettings;
}

/** Others restart before this one for the same change, or one of them is not healthy since. */
export function stagesGate({ source: { kind, name }, stage, first, settings }: StagesQuestion): ClosedGate {
  const closed = (what: string): ClosedGate => ({ gate: 'stages', untilMs: undefined, detail: what });
  const inStages = `${kind} ${name} restarts its users in stages`;
  const stopped = `restarts for ${kind} ${name} are stopped`;
  switch (stage.is) {
    case 'begins': {
      if (!first) return closed(`${inStages}: others go first`);
      const go = first.others === 0 ? 'goes' : `and ${first.others} more go`;
      return closed(`${inStages}: ${first.title} ${go} first`);
    }
    case 'waits': {
      const healthyFor = formatDuration(settings.healthyForMs);
      const told = `${inStages}: ${stage.waitsFor.title} must first be healthy for ${healthyFor}`;
      return closed(`${told}${checkOf(stage.waitsFor)}`);
    }
    case 'stopped': {
      const at = withoutMs(new Date(stage.failed.restartedAtMs).toISOString());
      const told = `${stopped}: ${stage.failed.title} is not healthy since it restarted at ${at}`;
      return closed(`${told}${checkOf(stage.failed)}`);
    }
    case 'rolled-back':
      return closed(`${stopped}: its content was rolled back before, and somebody has written it again`);
  }
}

function checkOf({ check }: RestartedUser): string {
  return check === undefined ? '' : ` (${check})`;
}
