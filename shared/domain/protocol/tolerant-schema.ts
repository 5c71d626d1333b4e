import * as z from 'zod';

/** An answer of another version: where this version knows some texts, that one may know others. */
export type Tolerant<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Tolerant<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]: Tolerant<T[Field]> }
      : T;

/**
 * The same schema for a reader that may be older than the writer: it drops fields that it does not know, and accepts
 * any text where only some are known. Numbers and booleans stay as they are: a version of the protocol is one.
 */
export function tolerant<Schema extends z.ZodType>(schema: Schema): z.ZodType<Tolerant<z.output<Schema>>> {
  return relaxed(schema) as z.ZodType<Tolerant<z.output<Schema>>>;
}

function relaxed(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape);
    return z.object(Object.fromEntries(fields.map(([name, field]) => [name, relaxed(field)])));
  }
  if (schema instanceof z.ZodReadonly || schema instanceof z.ZodOptional) {
    const inner = relaxed(schema.unwrap());
    return schema instanceof z.ZodOptional ? inner.optional() : inner.readonly();
  }
  if (schema instanceof z.ZodArray) return z.array(relaxed(schema.element));
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(relaxed));
  if (schema instanceof z.ZodEnum) return z.string();
  if (schema instanceof z.ZodLiteral && typeof schema.value === 'string') return z.string();
  return schema as z.ZodType;
}
