import type { Rendered } from './rendered';
import type { RenderOptions, Values } from './rendered-chart';

/** Values, and what they must come to. All of them are put before a real API server, too. */
export interface ChartCase {
  readonly what: string;
  readonly values: Values;
  readonly options?: RenderOptions;
  /** Pods that the strictest of Kubernetes' pod security standards does not let in. */
  readonly asksForMore?: true;
  readonly check: (rendered: Rendered) => void;
}

/** Values, and the sentence with which they are refused. */
export interface Refusal {
  readonly values: Values;
  readonly says: string | RegExp;
}
