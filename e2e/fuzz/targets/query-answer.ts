import { readQueryAnswer } from '../../../reconciler/health-checks/prometheus-check';
import { json } from '../samples';
import { promise, requireFitToShow, type Target } from '../target';

const success = (resultType: string, result: unknown): string =>
  json({ status: 'success', data: { resultType, result } });

/** What Prometheus, or whoever is in its place, answers to the query of a health check. */
export const target: Target = {
  seeds: [
    success('vector', []),
    success('vector', [{ metric: { job: 'web' }, value: [1_764_000_000.781, '1'] }]),
    success('scalar', [1_764_000_000, '0']),
    success('scalar', [1_764_000_000, 'NaN']),
    success('string', [1_764_000_000, 'text']),
    json({ status: 'error', errorType: 'bad_data', error: 'parse error' }),
  ],
  maxBytes: 65_536,
  run: (input) => {
    const answer = readQueryAnswer(input.toString('utf8'));
    if (answer.result === 'passed') return;
    requireFitToShow(answer.why);
    promise(answer.why.length < 100, 'nothing of an answer is told');
  },
};
