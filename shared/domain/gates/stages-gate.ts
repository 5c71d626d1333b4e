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
  const title = `${kind} ${name}`;
  switch (stage.is) {
    case 'begins': {
      if (!first) return closed(`${title} has many users: others restart first`);
      const more = first.others === 0 ? '' : ` and ${first.others} more`;
      return closed(`${title} has many users: ${first.title}${more} first`);
    }
    case 'waits': {
      const healthyFor = formatDuration(settings.healthyForMs);
      const told = `${title} has many users: first, ${stage.waitsFor.title} must be healthy for ${healthyFor}`;
      return closed(`${told}${checkOf(stage.waitsFor)}`);
    }
    case 'stopped': {
      const at = withoutMs(new Date(stage.failed.restartedAtMs).toISOString());
      const told = `${title} is stopped: ${stage.failed.title} is not healthy since it restarted at ${at}`;
      return closed(`${told}${checkOf(stage.failed)}`);
    }
    case 'rolled-back':
      return closed(`${title} is stopped: its content was rolled back before, and is there again`);
  }
}

function checkOf({ check }: RestartedUser): string {
  return check === undefined ? '' : ` (${check})`;
}
