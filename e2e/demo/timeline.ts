import { styleText } from 'node:util';

/** The meaning of a row, which decides its colour. */
export type Tone = 'plain' | 'good' | 'bad' | 'warning' | 'quiet';

/** One event of the timeline. */
export interface Row {
  /** Time since the start of the demo. */
  readonly atMs: number;
  /** The kind of event, in one or two words. */
  readonly label: string;
  readonly text: string;
  readonly tone: Tone;
}

export interface TimelineOptions {
  readonly write: (text: string) => void;
  readonly colour: boolean;
  readonly nowMs: () => number;
}

const width = 100;
const timeWidth = 7;
const labelWidth = 11;
const gap = '  ';
const textIndent = ' '.repeat(timeWidth + ' s'.length + gap.length + labelWidth + 1);

type Style = Parameters<typeof styleText>[0];

const styles: Readonly<Record<Tone, Style>> = {
  plain: 'cyan',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  quiet: 'dim',
};

/** Prints events, in the order of the calls, with times since the start. */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #startMs: number;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#startMs = options.nowMs();
  }

  heading(title: string, about: string): void {
    const { write, colour } = this.#options;
    const lines = wrap(about, width);
    const painted = lines.map((line) => paint(line, 'dim', colour));
    write(`\n${paint(title, 'bold', colour)}\n${painted.join('\n')}\n`);
  }

  /** `atMs` is when it happened, by the clock of the timeline; by default, now. */
  row(
    label: string,
    text: string,
    { tone = 'plain', atMs }: { readonly tone?: Tone; readonly atMs?: number } = {},
  ): void {
    const { write, colour, nowMs } = this.#options;
    write(`${formatRow({ atMs: (atMs ?? nowMs()) - this.#startMs, label, text, tone }, colour)}\n`);
  }

  /** Prints lines that are never wrapped, such as commands to copy. */
  block(lines: readonly string[]): void {
    this.#options.write(`${lines.map((line) => `${textIndent}${line}`).join('\n')}\n`);
  }

  /** Prints the last line. */
  close(text: string, tone: Tone): void {
    this.#options.write(`\n${paint(text, styles[tone], this.#options.colour)}\n`);
  }
}

/** Renders `   3.21 s  restarted   Deployment web …`. A long text continues below itself. */
export function formatRow({ atMs, label, text, tone }: Row, colour: boolean): string {
  const [first = '', ...rest] = text.split('\n').flatMap((line) => wrap(line, width - textIndent.length));
  const time = `${(atMs / 1000).toFixed(2).padStart(timeWidth)} s`;
  const painted = paint(label.padEnd(labelWidth), styles[tone], colour);
  return [`${time}${gap}${painted} ${first}`, ...rest.map((line) => `${textIndent}${line}`)].join('\n');
}

/** The caller decides on colours: by default, `styleText` would check the terminal of this process. */
function paint(text: string, style: Style, colour: boolean): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** A word that is longer than a line stays whole: a path with a line break cannot be copied. */
function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > columns && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Renders a duration as `0.52 s`; a negative one as `0.00 s`. */
export function seconds(durationMs: number): string {
  return `${(Math.max(0, durationMs) / 1000).toFixed(2)} s`;
}
