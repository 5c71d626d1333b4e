import { promise, type Target } from '../target';
import {
  continueToken,
  maxInspectionRows,
  maxWorkloadRows,
  parseInspectionQuestion,
} from '../../../shared/domain/protocol/inspection-question';

/** The path and the query of a question to the reconciler. */
export const target: Target = {
  seeds: [
    '/v1/health',
    '/v1/workloads/deployment/shop/web',
    '/v1/sources/SecretProviderClass/shop/vault',
    `/v1/workloads?namespace=shop&limit=20&continue=${continueToken('Deployment/shop/web')}`,
    '/v1/workloads?limit=%30&continue=%ff',
    '/v1/history?namespace=shop&kind=deployment&name=web&since=2026-01-01T12:00:00Z&limit=20',
    `/v1/history?continue=${continueToken('2026-01-01T12:00:00.000Z/3f9c2a71')}`,
  ],
  run: (input) => {
    const question = parseInspectionQuestion(input.toString('latin1'));
    if ('code' in question) {
      promise(question.message.length < 300, 'a refusal quotes nothing');
      return;
    }
    if (question.about === 'workload' || question.about === 'source') {
      promise(/^[-\w.:]+$/.test(question.namespace + question.name), 'names are names');
    }
    if (question.about === 'workloads' || question.about === 'history') {
      const { limit, after } = question;
      const most = question.about === 'workloads' ? maxWorkloadRows : maxInspectionRows;
      promise(Number.isInteger(limit) && limit >= 1 && limit <= most, 'a page is bounded');
      if (after === undefined) return;
      const again = parseInspectionQuestion(`/v1/${question.about}?continue=${continueToken(after)}`);
      promise('after' in again && again.after === after, 'a token is read as it was written');
    }
  },
};
