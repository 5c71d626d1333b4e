import * as z from 'zod';
import { fileSchema, lineSchema, objectSchema, problemSchema } from '../manifests/report-parts';
import { differenceCodes } from './difference-codes';

const editSchema = z.strictObject({
  action: z.enum(['write', 'remove']),
  under: z.string().describe("The path of the line's parent, such as `metadata.annotations`."),
  line: z.string().describe('The line to write; or the key or list element to remove.'),
});

const findingSchema = z.strictObject({
  code: z.enum(differenceCodes).describe('Stays the same if the texts are reworded.'),
  today: z.string().describe('What happens without Reroll.'),
  here: z.string().describe('What happens with Reroll.'),
  fix: z.string().describe('What to do, and why.'),
  edits: z.array(editSchema).describe('Lines to write or remove; empty if there is nothing to write.'),
  object: objectSchema,
  file: fileSchema.optional().describe('Missing if the object was read from a cluster.'),
  line: lineSchema.optional().describe('Of the cause, or else of the object. Missing like `file`.'),
});

/** The output of `reroll migrate -o json`. Removing a field or changing its meaning requires a new version. */
export const migrateReportSchema = z.strictObject({
  version: z.literal(1),
  summary: z.strictObject({
    files: z.int().nonnegative().describe('Files that were read; 0 for a cluster.'),
    objects: z.int().nonnegative().describe('Objects in them, or workloads in the cluster.'),
    workloads: z.int().nonnegative().describe('Objects that Reroll can restart.'),
    ready: z.int().nonnegative().describe('Workloads without findings.'),
    findings: z.int().nonnegative(),
    errors: z.int().nonnegative(),
  }),
  findings: z
    .array(findingSchema)
    .describe('In the order of the files and of the objects in them; from a cluster, by kind, namespace and name.'),
  errors: z.array(problemSchema).describe('What could not be read.'),
});

/** What is different for a workload, with its place. */
export type ReportedDifference = z.output<typeof findingSchema>;

/** The result of a run. */
export type MigrateReport = z.output<typeof migrateReportSchema>;
