/** The part of the library that is used here. */
declare module 'istanbul-lib-instrument' {
  export interface Instrumenter {
    instrumentSync(code: string, filename: string): string;
  }

  export function createInstrumenter(options: {
    readonly esModules: boolean;
    readonly compact: boolean;
    readonly coverageGlobalScope: string;
    readonly coverageGlobalScopeFunc: boolean;
  }): Instrumenter;
}
