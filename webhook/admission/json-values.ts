import { endOfString } from '../../shared/kube/wire/json-bytes';

const [quote, comma, bracket, brace] = [0x22, 0x2c, 0x5b, 0x7b];

/**
 * Upper bound of the objects, lists, members and elements of the JSON in `body`, counted up to `max` + 1. They decide
 * how much memory parsing takes: `{},{},…` takes twenty times its length, a long string only its length.
 */
export function jsonValues(body: Buffer, max: number): number {
  let values = 0;
  for (let at = 0; at < body.length && values <= max; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at + 1);
    else if (byte === comma || byte === bracket || byte === brace) values++;
  }
  return values;
}
