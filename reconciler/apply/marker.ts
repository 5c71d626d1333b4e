import type { Verdict } from '../plan';

/** What a restart changes in a pod template: any difference makes the workload's controller replace the pods. */
export interface TemplateMarker {
  readonly annotations: Readonly<Record<string, string>>;
  readonly env: readonly { readonly container: string; readonly name: string; readonly value: string }[];
}

export interface MarkInput {
  readonly namespace: string;
  /** The sources that the restart is owed to: one or more. */
  readonly changes: readonly Verdict[];
  /** Unique for each restart: content that comes back to an earlier state must still change the template. */
  readonly restartId: string;
  readonly nowMs: number;
}

/** A way to write a restart into a pod template. */
export type Strategy = (input: MarkInput) => TemplateMarker;
