/** Work that runs in the background until it is stopped, and that may be restarted. */
export class BackgroundLoop {
  readonly #work: (signal: AbortSignal) => Promise<void>;
  #run: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

  /** `work` never rejects, and ends soon after its signal fires. */
  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#work = work;
  }

  /** Starts the work; does nothing while it runs. */
  start(): void {
    if (this.#run) return;
    const controller = new AbortController();
    this.#run = { controller, done: this.#work(controller.signal) };
  }

  /** Resolves when no work is running any more. */
  async stop(): Promise<void> {
    const run = this.#run;
    run?.controller.abort();
    await run?.done;
    if (this.#run === run) this.#run = undefined;
  }
}
