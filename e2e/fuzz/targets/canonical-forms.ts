import { isHandy, promise, type Target } from '../target';
import { contentMaxMs } from '../content';
import { loadCanonicalForms } from '../../../shared/domain/content-check/canonical-forms';
import { withinTime } from '../../../shared/runtime/time-limit';

const names = ['a.json', 'b.yaml', 'c.toml', 'd.properties', 'e.txt'] as const;

/** A user's content in every format, reduced to what is compared. */
export const target: Target = {
  seeds: [
    '{"a":[1,2.5e3,true,null,"hunter2hunter2"],"b":{"c":"\\u0041"}}',
    'x: &anchor\n  k: v\ny: *anchor\n<<: *anchor\n',
    'a = 1\n[b]\nc = "hunter2hunter2"\nd = [1, 2]\n',
    'a\\u0041=b\\\n  c\n# d\n! e\nf : g\n',
  ],
  maxMs: names.length * contentMaxMs,
  run: async (input) => {
    const formsOf = await loadCanonicalForms(withinTime);
    const forms = formsOf(names.map((name) => [name, input] as const));
    promise(!forms.has('e.txt'), 'a text of no format has no form');
    if (!isHandy(input)) return;
    const again = formsOf([...forms.keys()].map((name) => [name, Buffer.concat([input, Buffer.from('\n')])] as const));
    const json = [forms, again].map((each) => each.get('a.json')?.toString());
    promise(json[0] === json[1], 'white space behind JSON does not count');
  },
};
