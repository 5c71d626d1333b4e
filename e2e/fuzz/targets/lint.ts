import { promise, requireFitToShow, type Target } from '../target';
import { defaultAnnotationKeys } from '../../../shared/domain/annotations/annotations';
import { parseLintQuestion, readLintAnswer } from '../../../shared/domain/protocol/lint-answer';
import { known, lintSettings } from '../../../shared/domain/lint/lint.fixture';
import { readLintSubject } from '../../../shared/domain/lint/lint-subject';
import { isWorthLinting, lintWorkload } from '../../../shared/domain/lint/lint-workload';
import { workloadQuestion } from '../../../shared/domain/protocol/workload-question';
import { readJsonBody } from '../../../reconciler/channel/answers';
import { json, sampleDeployment } from '../samples';

const questionAbout = (kind: string, group: string): string =>
  json(workloadQuestion({ group, kind }, 'shop', sampleDeployment));

/** The webhook's question about a workload, and the findings. */
export const target: Target = {
  seeds: [questionAbout('Deployment', 'apps'), questionAbout('Rollout', 'argoproj.io'), questionAbout('Pod', '')],
  maxBytes: 256 * 1024,
  run: (input) => {
    const body = readJsonBody(input, parseLintQuestion);
    if ('error' in body) {
      requireFitToShow(body.error);
      return;
    }
    isWorthLinting(body.value, defaultAnnotationKeys);
    const findings = lintWorkload(readLintSubject(body.value, lintSettings()), known([], true));
    for (const { message } of findings) requireFitToShow(message, 'a finding');
    const answer = { v: 1, findings: findings.map(({ message }) => ({ message, provisional: false })) };
    promise(readLintAnswer(answer) !== undefined, 'findings are an answer that the webhook reads');
  },
};
