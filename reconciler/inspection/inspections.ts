import type { InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import { workFacts } from './health-facts';
import { HistoryPages } from './history-pages';
import type { AnswerBody } from './answer-body';
import type { InspectionView } from './inspection-view';
import { jsonBody } from './json-body';
import { inspectSource } from './source-inspections';
import { inspectWorkload } from './workload-inspections';
import { WorkloadPages } from './workload-pages';

/** Answers about workloads and sources. Each is computed from memory alone. */
export class Inspections {
  readonly #view: InspectionView;
  readonly #pages: WorkloadPages;
  readonly #history: HistoryPages;

  constructor(view: InspectionView) {
    this.#view = view;
    this.#pages = new WorkloadPages(view);
    this.#history = new HistoryPages(view);
  }

  /** The body of the answer. Undefined if this replica cannot answer: it does not lead, or the first lists are not complete. */
  answer(
    question: Exclude<InspectionQuestion, { readonly about: 'health' }>,
    acceptsGzip: boolean,
  ): AnswerBody | undefined {
    const term = this.#view.isSettled() ? this.#view.term() : undefined;
    if (!term) return undefined;
    switch (question.about) {
      case 'workload':
        return { bytes: jsonBody(inspectWorkload(this.#view, question, term)) };
      case 'source':
        return { bytes: jsonBody(inspectSource(this.#view, question, term)) };
      case 'workloads':
        return this.#pages.render(question, acceptsGzip);
      case 'history':
        return { bytes: jsonBody(this.#history.page(question)) };
    }
  }

  work(): ReturnType<typeof workFacts> {
    return workFacts(this.#view);
  }
}
