/** Set when the bundle is built (esbuild `define`): script and style sheet of the page, made of `cli/ui/page`. */
declare const REROLL_PAGE_SCRIPT: string | undefined;
declare const REROLL_PAGE_STYLE: string | undefined;

// Empty when run unbundled.
const script = typeof REROLL_PAGE_SCRIPT === 'string' ? REROLL_PAGE_SCRIPT : '';
const style = typeof REROLL_PAGE_STYLE === 'string' ? REROLL_PAGE_STYLE : '';

/** A file of the page. All are in memory, so that no path leads to a file of the computer. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Reroll</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/page.svg">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<noscript>This page needs JavaScript. "reroll status" shows the same in a terminal.</noscript>
</body>
</html>
`;

/** Two turns of a wheel: a restart for a change. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#4361ee" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"><path d="M20 12a8 8 0 1 1-2.6-5.9"/><path d="M20 3v4.5h-4.5"/></svg>
`;

/** The files of the page by path. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map([
  ['/', { type: 'text/html; charset=utf-8', text: document }],
  ['/page.js', { type: 'text/javascript; charset=utf-8', text: script }],
  ['/page.css', { type: 'text/css; charset=utf-8', text: style }],
  ['/page.svg', { type: 'image/svg+xml; charset=utf-8', text: icon }],
]);
