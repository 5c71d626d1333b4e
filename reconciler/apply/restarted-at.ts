import { restartedAt } from '../../shared/domain/annotations/annotations';
import type { MarkInput, TemplateMarker } from './marker';

/** The annotation that `kubectl rollout restart` writes. Operators that control their pod templates tolerate it. */
export function markRestartedAt({ nowMs }: MarkInput): TemplateMarker {
  return { annotations: { [restartedAt]: new Date(nowMs).toISOString() }, env: [] };
}
