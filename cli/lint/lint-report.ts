import * as z from 'zod';
import { annotationProblemCodes } from '../../shared/domain/annotations/annotation-problem';
import { fileSchema, lineSchema, objectSchema, problemSchema } from '../manifests/report-parts';

const { namespace } = objectSchema.shape;

const findingSchema = z.strictObject({
  code: z.enum(annotationProblemCodes).describe('Stays the same if the message is reworded.'),
  message: z.string(),
  annotation: z.string().describe("The annotation's key."),
  object: objectSchema.extend({
    namespace: namespace.optional().describe(`${namespace.description} Missing for a Namespace.`),
  }),
  file: fileSchema,
  line: lineSchema.describe('Of the annotation, or else of the object.'),
});

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

/** The result of a run. */
export type LintReport = z.output<typeof lintReportSchema>;
