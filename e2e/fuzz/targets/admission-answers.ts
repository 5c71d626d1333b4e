import { attemptLater, promise, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { MalformedObjectError } from '../../../shared/domain/kubernetes/malformed-object-error';
import type { AdmissionPlugin } from '../../../webhook/admission/admission-plugins';
import { lintPlugin } from '../../../webhook/plugins/lint-plugin';
import { previewPlugin } from '../../../webhook/plugins/preview-plugin';
import { workloadPlugin } from '../../../webhook/plugins/workload-plugin';
import { isObject } from '../../../shared/domain/kubernetes/json-value';
import { applyJsonPatch } from '../../apiserver/json-patch';
import type { JsonObject, JsonValue } from '../../apiserver/json';
import { promptClock } from '../prompt-clock';
import { markedRequest, sampleReviews } from '../reviews';
import { digester } from '../samples';

const answers: Readonly<Record<string, unknown>> = {
  '/v1/preview': {
    v: 1,
    restarts: [{ workload: 'deployment/web', keys: ['a'] }],
    left: [],
    moreRestarts: 1,
    moreLeft: 0,
  },
  '/v1/lint': { v: 1, findings: [{ message: 'a line', provisional: true }] },
  '/v1/marks': {
    v: 1,
    annotations: { 'reroll.dev/baseline': '{}' },
    template: { annotations: { 'a/b~c': 'd' }, env: [{ container: 'main', name: 'STAKATER_DB_SECRET', value: 'x.1' }] },
  },
};

const reconcilers = {
  query: async (path: string): Promise<unknown> => await Promise.resolve(answers[path]),
  canQuery: () => true,
};
const plugins: readonly AdmissionPlugin[] = [
  previewPlugin({ reconcilers, digester: () => digester }),
  lintPlugin({ clock: promptClock, reconcilers }),
  workloadPlugin({
    reconcilers,
    keys: defaultAnnotationKeys,
    policy: { autoReloadAll: false, ignoredWorkloadKinds: [] },
  }),
];

/** The warnings and patches of the webhook for a review. The reconcilers answer every query. */
export const target: Target = {
  seeds: sampleReviews,
  maxBytes: 256 * 1024,
  run: async (input) => {
    const request = markedRequest(input);
    if (!request) return;
    for (const plugin of plugins) {
      if (!plugin.wants(request, 'mutate')) continue;
      const answer = await attemptLater(async () => await plugin.answer(request), MalformedObjectError);
      for (const warning of answer?.warnings ?? []) requireFitToShow(warning, 'a warning');
      if (!answer?.patch || !isObject(request.object)) continue;
      const patched = applyJsonPatch(request.object as JsonObject, answer.patch as unknown as JsonValue);
      promise(isObject(patched), 'a patch applies to the object of its request');
    }
  },
};
