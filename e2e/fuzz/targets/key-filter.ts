import { attempt, promise, type Target } from '../target';
import { KeyFilterError, parseKeyFilter } from '../../../shared/domain/text/key-filter';

/** A list of keys in an annotation. */
export const target: Target = {
  seeds: ['app.yaml, !comment.*', '*.json,a?b', '!*', '*a*a*a*a*b', ' , ,app, '],
  dictionary: ['!', '*', '?', ',', '**', '!!'],
  run: (input) => {
    const text = input.toString('utf8');
    const filter = attempt(() => parseKeyFilter(text), KeyFilterError);
    if (!filter) return;
    for (const key of ['app.yaml', 'a'.repeat(253)]) filter.counts(key);
    const again = parseKeyFilter(filter.text);
    promise(again.id === filter.id && again.text === filter.text, 'a list is read as it is told');
  },
};
