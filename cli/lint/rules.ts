import type { AnnotationProblemCode } from '../../shared/domain/annotations/annotation-problem';

/** The description of each code, in one sentence. */
export const rules: Readonly<Record<AnnotationProblemCode, string>> = {
  'unknown-annotation': 'The annotation is not known, but looks like one that is.',
  'wrong-place': 'The annotation does not count where it is written.',
  'wrong-kind': 'The annotation counts on another kind of workload.',
  'bad-boolean': 'The value is neither true nor false.',
  'bad-choice': 'The value is none of those that the annotation accepts.',
  'bad-duration': 'The value is not a duration.',
  'bad-window': 'The settle time is longer than its maximum.',
  'bad-pattern': 'An element of the list is neither a name nor an RE2 pattern.',
  'bad-name': 'An element of the list is not the name of a source in this namespace.',
  'pattern-refused': 'The patterns are too large.',
  'over-budget': 'The value is over the budget for one object.',
  'pattern-loose': 'A pattern matches more than it seems to.',
  'narrows-nothing': 'The annotation names no kind of source.',
  'narrowed-out': 'Another annotation leaves this kind of source out.',
  overridden: 'Another annotation overrides this one.',
  'nothing-asked': 'The workload has settings, but asks for no restarts.',
  'nothing-used': 'The workload asks for restarts by the sources that it uses, but uses none.',
  'no-such-source': 'No source has the listed name.',
  'other-kind': 'The listed name is that of a source of another kind.',
  'no-match': 'The workload searches for sources, but none that it uses is annotated to match.',
  'source-ignored': 'The listed source is annotated to be ignored.',
  'source-kind-ignored': 'The install does not watch this kind of source.',
  'kind-not-covered': 'The install does not restart objects of this kind.',
  'namespace-not-watched': 'The install does not watch the namespace.',
};
