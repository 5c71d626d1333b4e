/** Set when the bundle is built (esbuild `define`) and by the test configuration. */
declare const REROLL_VERSION: string | undefined;

/** Version of this build as in package.json; `source` when run unbundled. */
export const version = typeof REROLL_VERSION === 'string' ? REROLL_VERSION : 'source';
