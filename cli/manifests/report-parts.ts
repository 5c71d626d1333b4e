import * as z from 'zod';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import type { FoundObject } from './manifests';

/** The parts that the reports of all commands share. */

export const fileSchema = z
  .string()
  .describe('As named on the command line, or below a directory named there; `stdin`.');
export const lineSchema = z.int().positive();

export const objectSchema = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().describe('Its own, or else `--namespace`.'),
  name: z.string().optional().describe('Missing if the API server generates it.'),
});

export const problemSchema = z.strictObject({
  file: fileSchema,
  line: lineSchema.optional(),
  message: z.string(),
});

/** A file or a document that cannot be read. */
export type InputProblem = Readonly<z.output<typeof problemSchema>>;

/** The object of a manifest, as reports name it. */
export function reportedObject({ apiVersion, kind, namespace, object }: FoundObject): z.output<typeof objectSchema> {
  const name = textOf(fieldAt(object, ['metadata', 'name']));
  return { apiVersion, kind, namespace, ...(name !== undefined && { name }) };
}
