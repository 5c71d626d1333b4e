import type { Rendered } from './rendered';
import type { RenderOptions, Values } from './rendered-chart';

/** Values and a check of what they render, which a real API server must accept, too. */
export interface ChartCase {
  readonly what: string;
  readonly values: Values;
  readonly options?: RenderOptions;
  /** The pods violate `restricted`, the strictest pod security standard of Kubernetes. */
  readonly asksForMore?: true;
  readonly check: (rendered: Rendered) => void;
}

/** Values that are rejected, and the message. */
export interface Refusal {
  readonly values: Values;
  readonly says: string | RegExp;
}
