import { printable } from '../../shared/domain/text/printable';

/** JSON whose texts can be shown as they are: names of others may have characters that turn or hide text. */
export function printableJson(value: object): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? printable(each) : each));
}
