import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import { httpUrl, httpUrlAccepts, nonEmpty } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

/** `name=value,name=value` with percent escapes in the values, as in the variables of OpenTelemetry. */
const keyValues = z.string().transform((text, context): ReadonlyMap<string, string> => {
  const pairs = text.split(',').map((pair) => pair.trim());
  const read = pairs.flatMap((pair, index): readonly (readonly [string, string])[] => {
    if (pair === '') return [];
    const [, name = '', value = ''] = /^([^=]+?)\s*=\s*(.*)$/s.exec(pair) ?? [];
    const decoded = percentDecoded(value);
    if (name !== '' && decoded !== undefined) return [[name, decoded]];
    // A value may be a credential, so only its place is told.
    context.addIssue(`element ${index + 1}: not name=value with percent escapes`);
    return [];
  });
  return new Map(read);
});

const headers = keyValues.transform((pairs, context): Readonly<Record<string, string>> => {
  if (![...pairs].every(isHeader)) context.addIssue('a name or a value that no header can have');
  return Object.fromEntries([...pairs].map(([name, value]) => [name.toLowerCase(), value]));
});

/** The errors of Node quote the name, which may be a credential in the wrong place. */
function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

const keyValuesAccepts = 'a list of name=value';

/** Where traces go. The variables are those of every program that OpenTelemetry instruments. */
export const traceOptionTable = {
  otlpEndpoint: {
    flag: 'otlp-endpoint',
    fallbackEnv: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: httpUrl.optional(),
    confidential: true,
    describe:
      'Send a trace of each change to this OpenTelemetry endpoint, by OTLP over HTTP as JSON. /v1/traces is added to it. Without one, no traces are sent.',
    accepts: httpUrlAccepts,
  },
  otlpTracesEndpoint: {
    flag: 'otlp-traces-endpoint',
    fallbackEnv: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    schema: httpUrl.optional(),
    confidential: true,
    describe: 'The same, used as it is, instead of --otlp-endpoint.',
    accepts: httpUrlAccepts,
  },
  otlpHeaders: {
    flag: 'otlp-headers',
    fallbackEnv: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: headers,
    default: '',
    confidential: true,
    describe: 'Headers of the requests to it, such as an API key; best set as a variable from a Secret.',
    accepts: keyValuesAccepts,
  },
  otlpCertificate: {
    flag: 'otlp-certificate',
    fallbackEnv: 'OTEL_EXPORTER_OTLP_CERTIFICATE',
    schema: nonEmpty.optional(),
    describe: 'Trust the CAs in this file for it, instead of the public ones. A new file counts at once.',
    accepts: 'a PEM file of certificates',
  },
  otelServiceName: {
    flag: 'otel-service-name',
    fallbackEnv: 'OTEL_SERVICE_NAME',
    schema: nonEmpty.optional(),
    describe: 'The name of this process in traces. Default: reroll- and the name of the command.',
    accepts: 'any text',
  },
  otelResourceAttributes: {
    flag: 'otel-resource-attributes',
    fallbackEnv: 'OTEL_RESOURCE_ATTRIBUTES',
    schema: keyValues,
    default: '',
    describe: 'What else traces say of this process, such as the name of the cluster.',
    accepts: keyValuesAccepts,
  },
} satisfies OptionTable;

export type TraceOptions = OptionValues<typeof traceOptionTable>;

/** The address that traces are posted to; undefined: none are sent. */
export function tracesUrl({ otlpEndpoint, otlpTracesEndpoint }: TraceOptions): URL | undefined {
  if (otlpTracesEndpoint) return otlpTracesEndpoint;
  if (!otlpEndpoint) return undefined;
  const url = new URL(otlpEndpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
