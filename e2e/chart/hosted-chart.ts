import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chartDir } from '../deploy/rendered-chart';

/** Replaces a text in a file of the chart. */
export interface ChartEdit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const webhookService = 'spec:\n  selector: {{- include "reroll.selectorLabels" $labels | nindent 4 }}\n  ports:\n';

/** For a webhook on this host: its Service points to this host, and the registrations name this port. */
function onThisHost(webhookPort: number): readonly ChartEdit[] {
  return [
    ...['files/mutating.yaml', 'files/validating.yaml'].map((file) => ({
      ...{ file, from: 'port: 443\n', to: `port: ${String(webhookPort)}\n` },
    })),
    {
      ...{ file: 'templates/webhook.yaml', from: webhookService },
      to: webhookService.replace('spec:\n', 'spec:\n  type: ExternalName\n  externalName: 127.0.0.1\n'),
    },
  ];
}

/** Copies the chart into this folder with this host's addresses and these edits, and returns the folder. */
export async function hostedChart(dir: string, webhookPort: number, edits: readonly ChartEdit[] = []): Promise<string> {
  await cp(chartDir, dir, { recursive: true });
  for (const { file, from, to } of [...onThisHost(webhookPort), ...edits]) {
    const target = path.join(dir, file);
    const text = await readFile(target, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} of the chart has no ${JSON.stringify(from)}`);
    await writeFile(target, text.replaceAll(from, to));
  }
  return dir;
}

/** The version in `Chart.yaml`, which is also the product's. */
export function chartVersion(): string {
  return /^version: (\S+)$/m.exec(readFileSync(path.join(chartDir, 'Chart.yaml'), 'utf8'))?.[1] ?? '';
}

/** Edits that give the chart another version. */
export function ofVersion(version: string): readonly ChartEdit[] {
  return ['version', 'appVersion'].map((field) => ({
    ...{ file: 'Chart.yaml', from: `${field}: ${chartVersion()}\n`, to: `${field}: ${version}\n` },
  }));
}
