/** An environment variable that makes a template differ. */
export interface EnvMark {
  readonly container: string;
  readonly name: string;
  readonly value: string;
  /** Its index in the container's list of variables, if it was in one. */
  readonly index?: number;
}

/** What a restart changes in a pod template: any difference makes the workload's controller replace the pods. */
export interface TemplateMarker {
  readonly annotations: Readonly<Record<string, string>>;
  readonly env: readonly EnvMark[];
}

/** What Reroll writes to a workload: annotations on its metadata, and a marker in its pod template. */
export interface WorkloadMarks {
  readonly annotations: Readonly<Record<string, string>>;
  readonly template: TemplateMarker;
}

export const noMarks: WorkloadMarks = { annotations: {}, template: { annotations: {}, env: [] } };
