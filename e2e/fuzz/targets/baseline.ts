import { attempt, isHandy, promise, type Target } from '../target';
import {
  formatBaseline,
  parseBaseline,
  sameSources,
  UnreadableBaselineError,
} from '../../../shared/domain/baseline/baseline';
import { parseSourceId } from '../../../shared/domain/sources/source';
import { sampleBaseline } from '../samples';

/** The baseline annotation, which anybody who may write a workload can write. */
export const target: Target = {
  seeds: [
    sampleBaseline,
    '{"v":1,"n":0,"key":"","sources":{}}',
    '{"v":1,"n":1,"key":"","sources":{"cm/a":{}},"filters":{"cm/a":"f1lter-1"},"lists":{"f1lter-1":"*.yaml"}}',
  ],
  maxBytes: 256 * 1024,
  run: (input) => {
    const baseline = attempt(() => parseBaseline(input.toString('utf8')), UnreadableBaselineError);
    if (!baseline || !isHandy(input)) return;
    for (const id of baseline.sources.keys()) parseSourceId(id);
    const text = formatBaseline(baseline);
    const again = parseBaseline(text);
    promise(formatBaseline(again) === text, 'a baseline is written as it was read');
    promise(sameSources(again.sources, baseline.sources), 'a baseline is read as it was written');
  },
};
