/** The cells of the rows of the first table after a heading. */
export function tableAfter(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = section.split('\n');
  const first = lines.findIndex((line) => line.startsWith('| ---'));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 1, end).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
