import { restartedAt } from '../../shared/domain/annotations/annotations';
import type { MarkInput, TemplateMarker } from './marker';

/** What `kubectl rollout restart` writes: operators that police their pod templates tolerate it. */
export function markRestartedAt({ nowMs }: MarkInput): TemplateMarker {
  return { annotations: { [restartedAt]: new Date(nowMs).toISOString() }, env: [] };
}
