const columns = 100;
const characterWidth = 8;
const lineHeight = 18;
const margin = 16;

/** Colour of a row by the first word of its label, on a dark terminal. */
const colours: Readonly<Record<string, string>> = {
  ok: '#7ec699',
  restarted: '#e5c07b',
  edit: '#61afef',
  left: '#9aa5b1',
};
const plain = '#d7dde4';
const commandLine = '$ npm run demo';

/** The scene that the README shows. */
export const pictureScene = 2;

/** The lines of a scene in the timeline of the demo, by its number. @throws Error if there is no such scene */
export function sceneLines(timeline: string, scene: number): readonly string[] {
  const lines = timeline.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`${String(scene)}. `));
  if (from < 0) throw new Error(`the timeline has no scene ${String(scene)}`);
  return lines.slice(from, lines.indexOf('', from));
}

/** Renders an SVG of a terminal that shows these lines. */
export function picture(lines: readonly string[]): string {
  const shown = [commandLine, '', ...lines];
  const width = columns * characterWidth + 2 * margin;
  const height = shown.length * lineHeight + 2 * margin;
  const texts = shown.map((line, index) => {
    const y = margin + (index + 1) * lineHeight - 5;
    return `  <text x="${String(margin)}" y="${String(y)}" fill="${colourOf(line)}">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}" role="img" aria-label="The demo in a terminal">`,
    '  <!-- Generated: npm run demo -- --picture docs/demo.svg -->',
    `  <rect width="${String(width)}" height="${String(height)}" rx="8" fill="#1e252d"/>`,
    '  <g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
    ...texts,
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}

function colourOf(line: string): string {
  const [, label = ''] = /^ *[\d.]+ s +(\w+)/.exec(line) ?? [];
  return colours[label] ?? plain;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
