import { chartValues } from './chart-values';

const head = `<!-- Generated: npm run release -- --generate -->

# Reroll

Restarts workloads when the ConfigMaps, Secrets and CSI secrets that they use change, and says why.

\`\`\`sh
helm install reroll oci://ghcr.io/reroll/charts/reroll --namespace reroll --create-namespace
\`\`\`

Kubernetes 1.28 or later. The values of Reloader's chart stand under the same names and work as they are; what stands for
something else here is refused by name. How to install, upgrade and remove it:
[docs/install.md](https://github.com/reroll/reroll/blob/main/docs/install.md).

## Values
`;

/** The README of the chart: every value with its default and its description from values.yaml. */
export function chartReadme(): string {
  const rows = chartValues().map(({ path, default: value, describe }) =>
    [`\`${path}\``, `\`${JSON.stringify(value)}\``, describe].map((cell) => cell.replaceAll('|', '\\|')).join(' | '),
  );
  return `${head}\n| value | default | what it does |\n| --- | --- | --- |\n${rows.map((row) => `| ${row} |`).join('\n')}\n`;
}
