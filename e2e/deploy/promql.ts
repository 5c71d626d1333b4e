import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A selection of series of one metric. */
export interface Selection {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** The names in a query. */
export interface Query {
  /** The query up to each syntax error, `<here>`, and the rest. */
  readonly errors: readonly string[];
  readonly selections: readonly Selection[];
  /** Labels that it groups or joins by. */
  readonly grouping: readonly string[];
}

/** Replaces Grafana variables, which are not PromQL, by a duration if they stand for one, otherwise by a text. */
export function withoutVariables(expr: string): string {
  return expr.replaceAll(/\$__(?:rate_)?(?:interval|range)\b/g, '5m').replaceAll(/\$\w+/g, 'any');
}

/** Parses a query. */
export function readQuery(expr: string): Query {
  const text = ({ from, to }: { readonly from: number; readonly to: number }): string => expr.slice(from, to);
  const errors: string[] = [];
  const selections: Selection[] = [];
  const grouping: string[] = [];
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.type.isError) errors.push(`${expr.slice(0, node.from)}<here>${expr.slice(node.from)}`);
      if (node.name === 'VectorSelector') selections.push(selectionOf(node.node, text));
      if (node.name === 'GroupingLabels') grouping.push(...node.node.getChildren('LabelName').map(text));
    },
  });
  return { errors, selections, grouping };
}

function selectionOf(node: SyntaxNode, text: (node: SyntaxNode) => string): Selection {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    metric: name ? text(name) : '',
    matchers: matchers.map((matcher) => {
      const [label = '', operator = '', value = '""'] = ['LabelName', 'MatchOp', 'StringLiteral'].flatMap((part) =>
        matcher.getChildren(part).map(text),
      );
      return { label, operator, value: value.slice(1, -1) };
    }),
  };
}
