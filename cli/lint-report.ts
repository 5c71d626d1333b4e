import * as z from 'zod';
import { annotationProblemCodes } from '../shared/domain/annotations/annotation-problem';

const file = z.string().describe('As named on the command line, or below a directory named there; `stdin`.');
const line = z.int().positive();

const findingSchema = z.strictObject({
  code: z.enum(annotationProblemCodes).describe('Stays the same if the message is reworded.'),
  message: z.string(),
  annotation: z.string().describe("The annotation's key."),
  object: z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    namespace: z.string().describe('Its own, or else `--namespace`.'),
    name: z.string().optional().describe('Missing if the API server generates it.'),
  }),
  file,
  line: line.describe('Of the annotation, or else of the object.'),
});

const problemSchema = z.strictObject({ file, line: line.optional(), message: z.string() });

/** The output of `reroll lint -o json`. Removing a field or changing its meaning requires a new version. */
export const lintReportSchema = z.strictObject({
  version: z.literal(1),
  summary: z.strictObject({
    files: z.int().nonnegative().describe('Files that were read.'),
    objects: z.int().nonnegative().describe('Objects in them.'),
    findings: z.int().nonnegative(),
    errors: z.int().nonnegative(),
  }),
  findings: z.array(findingSchema).describe('In the order of the files and of the objects in them.'),
  errors: z.array(problemSchema).describe('What could not be read.'),
});

/** A mistake in the annotations of an object, with its place. */
export type ReportedFinding = z.output<typeof findingSchema>;

/** A file or a document that cannot be read. */
export type InputProblem = Readonly<z.output<typeof problemSchema>>;

/** The result of a run. */
export type LintReport = z.output<typeof lintReportSchema>;
