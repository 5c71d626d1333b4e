import { attempt, jsonOf, promise, requireFitToShow, type Target } from '../target';
import { digestLength } from '../../../shared/domain/sources/content-digest';
import {
  contentOf,
  describePreview,
  parsePreviewAnswer,
  parsePreviewQuestion,
  PreviewError,
  updateOf,
} from '../../../shared/domain/protocol/preview';
import { readJsonBody } from '../../../reconciler/channel/answers';
import { maxAnswerBytes } from '../../../webhook/channel/channel-https-transport';
import { json } from '../samples';

const question = {
  ...{ v: 2, keyId: 'AAAAAAAA', kind: 'Secret', namespace: 'shop', name: 'db', labels: { a: 'b' } },
  switchedOn: ['reloader.stakater.com/match'],
  update: {
    ...{ uid: 'u', before: 'CCCCCCCCCCCCCCCCCCCCCA' },
    after: [
      ['a', 'AAAAAAAAAAAAAAAAAAAAAA'],
      ['b', 'BBBBBBBBBBBBBBBBBBBBBA'],
    ],
  },
};
const answer = {
  ...{ v: 1, moreRestarts: 2, moreLeft: 0 },
  restarts: [{ workload: 'deployment/web', keys: ['a', 'b'] }],
  left: [{ workload: 'job/seed', because: 'opted out' }],
};

/** The webhook's question about what a change would restart, and its answer. */
export const target: Target = {
  seeds: [json(question), json(answer)],
  maxBytes: 256 * 1024,
  run: (input) => {
    const body = readJsonBody(input, parsePreviewQuestion);
    if ('error' in body) requireFitToShow(body.error);
    else {
      const content = contentOf(body.value);
      promise(content.whole().length === digestLength, 'the digest of a whole has the usual length');
      promise(content.equals(contentOf(body.value)), 'content equals itself');
      promise(content.differingKeys(content).length === 0, 'content does not differ from itself');
      const { update } = body.value;
      const written = updateOf('u', content, content).after;
      promise(
        update === undefined || new Set(written.map(([name]) => name)).size <= update.after.length,
        'no key is added',
      );
      return;
    }
    if (input.length > maxAnswerBytes) return;
    const value = jsonOf(input);
    const told = attempt(() => describePreview(parsePreviewAnswer(value)), PreviewError);
    const itsOwn = input.includes('undefined');
    promise(itsOwn || !told?.includes('undefined'), 'a sentence has all its words');
  },
};
