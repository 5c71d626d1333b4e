import { promise, requireFitToShow, type Target } from '../target';
import { namesIn, parseNamedList } from '../../../shared/domain/text/pattern';

/** A list of names and patterns in an annotation. */
export const target: Target = {
  seeds: ['app,common-.*,[a-z]{3}', 'a|b', '(a|b)*c+,\\d{2},x{1', ' , ,app, '],
  dictionary: ['(?i)', '\\p{Greek}', '[^a]', '.*', '.+?', '(a*)*', '{1000}', '\\b', '\\pN', '[[:alpha:]]', '(?P<n>a)'],
  maxBytes: 256 * 1024,
  run: (input) => {
    const list = input.toString('utf8');
    const { matchers, problems } = parseNamedList(list);
    for (const { message, fix } of problems) requireFitToShow(message + fix, 'a problem');
    for (const name of ['app', 'common-1', 'a'.repeat(253)]) matchers.matches(name);
    for (const literal of [...matchers.literals].slice(0, 10))
      promise(matchers.matches(literal), 'a name matches itself');
    promise(namesIn(list).length > 0 || matchers.isEmpty, 'a list without names is empty');
  },
};
