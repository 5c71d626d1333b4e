import { jsonOf, promise, type Target } from '../target';
import { isObject } from '../../../shared/domain/kubernetes/json-value';
import { JsonList } from '../../../shared/kube/wire/json-list';
import { splitAnywhere } from '../split-stream';

/** A list in JSON, split at every byte, and compared with the result of JSON.parse. */
export const target: Target = {
  seeds: [
    '{"kind":"SecretList","metadata":{"resourceVersion":"7","continue":"t"},"items":[{"a":"}]\\""},{"b":[1,{}]}]}',
    '{"items":null,"metadata":{}}',
    ' {"metadata" : {"resourceVersion":"1"} , "items" : [ ] , "more" : 1.5e3 }\n',
  ],
  // Each input is read about twenty times.
  maxBytes: 8 * 1024,
  run: (input) => {
    const { pieces, isRefused } = splitAnywhere(input, () => new JsonList());
    const value = jsonOf(input);
    if (!isObject(value) || !Array.isArray(value['items']) || !value['items'].every(isObject)) return;
    // JSON.parse keeps only the last of two fields with one name, and invalid UTF-8 is already replaced in its input.
    const text = input.toString('utf8');
    if (text.split('items').length !== 2 || text.includes('\\u') || text.includes('\ufffd')) return;
    promise(!isRefused, 'a list that is JSON is read');
    const items = pieces.map((piece) => JSON.stringify(jsonOf(piece)));
    promise(
      JSON.stringify(items) === JSON.stringify(value['items'].map((item) => JSON.stringify(item))),
      'every item is read, and nothing else',
    );
  },
};
