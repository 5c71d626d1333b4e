import * as z from 'zod';
import { errorMessage } from '../../domain/errors';
import { parseDuration } from '../../domain/text/duration';
import { parseGoBool } from '../../domain/text/go-bool';
import { isLoopback, parseListenAddress, type ListenAddress } from '../http/listen-address';

/** Schemas for the texts of options, shared by the tables of all commands. */

/** A schema from a parser that returns undefined for invalid texts. */
function parsedBy<T>(parse: (text: string) => T | undefined, problem: string): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(problem);
    return z.NEVER;
  });
}

/** A schema from a parser that throws for invalid texts. */
export function parsedOr<T>(parse: (text: string) => T): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (thrown) {
      context.addIssue(errorMessage(thrown));
      return z.NEVER;
    }
  });
}

export const goBool = parsedBy(parseGoBool, 'not a boolean');

/** The row of a switch in a table of options. */
export function switchRow(flag: string, describe: string, byDefault: 'true' | 'false' = 'false') {
  const accepts = 'true or false (also 1, t, T, TRUE, True, 0, f, F, FALSE, False)';
  return { flag, form: 'switch', schema: goBool, default: byDefault, describe, accepts } as const;
}

export const listenAddress = parsedBy(parseListenAddress, 'not a host and port');

/** An address that only the pod itself reaches; undefined for `off` and for an empty text, which no variable can have. */
export const loopbackAddress: z.ZodType<ListenAddress | undefined, string> = z.string().transform((text, context) => {
  if (text === '' || text === 'off') return undefined;
  const address = parseListenAddress(text);
  if (address && isLoopback(address)) return address;
  context.addIssue(
    address
      ? 'not a loopback address such as 127.0.0.1 or [::1]: whoever reaches the pod could ask, without any permission'
      : 'not a host and port',
  );
  return z.NEVER;
});

/** One of the names in `meanings`; several names may have the same meaning. */
export function oneOf<T>(meanings: Readonly<Record<string, T>>, problem: string): z.ZodType<T, string> {
  return parsedBy((text) => (Object.hasOwn(meanings, text) ? meanings[text] : undefined), problem);
}

/** A Go duration of zero or more, in milliseconds. */
export const durationMs = z.string().transform((text, context) => {
  try {
    const ms = parseDuration(text);
    if (ms >= 0) return ms;
    context.addIssue('a duration below zero');
  } catch (thrown) {
    context.addIssue(errorMessage(thrown));
  }
  return z.NEVER;
});

/**
 * A URL to send requests to. White space around it is dropped, such as the line end in a Secret. Only white space
 * counts as not set.
 */
export const httpUrl = z.string().transform((text, context) => {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  context.addIssue(url ? 'neither http nor https' : 'not a URL');
  return z.NEVER;
});

export const httpUrlAccepts = 'a URL that begins with http:// or https://';

export const nonEmpty = z.string().min(1, 'must not be empty');

const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** Name of a namespace: an RFC 1123 label. */
export const namespaceName = z
  .string()
  .regex(new RegExp(`^${dnsLabel}$`), 'not a namespace: up to 63 lower-case letters, digits and dashes');

/** A label of a name that has no limit of its own: the API server counts the characters of the whole name alone. */
const anyLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** Name of most other objects: an RFC 1123 subdomain. */
export const objectName = z
  .string()
  .max(253, 'longer than 253 characters')
  .regex(new RegExp(`^${anyLabel}(\\.${anyLabel})*$`), 'not a name: lower-case letters, digits, dashes and dots');

/** Name of a Service: one label, whose first character is a letter (RFC 1035). */
export const serviceName = z
  .string()
  .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, 'not a Service: up to 63 lower-case letters, digits and dashes');

/** A name of up to 63 characters, optionally after a DNS subdomain and a slash. */
const qualifiedName = `^((?=[^/]{1,253}/)${anyLabel}(\\.${anyLabel})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`;

export const labelKey = z.string().regex(new RegExp(qualifiedName), 'not a label key');

/** Only in annotations does the API server accept a subdomain in upper case. */
export const annotationKey = z.string().regex(new RegExp(qualifiedName, 'i'), 'not an annotation key');

/** A list without duplicates; every problem names its element. */
export function listOf<T>(element: z.ZodType<T, string>): z.ZodType<readonly T[], readonly string[]> {
  return z.array(z.string()).transform((elements, context) => {
    const values = new Set<T>();
    for (const text of elements) {
      const result = element.safeParse(text);
      if (result.success) values.add(result.data);
      else context.addIssue(`element ${JSON.stringify(text)}: ${result.error.issues[0]?.message ?? 'not accepted'}`);
    }
    return [...values];
  });
}
