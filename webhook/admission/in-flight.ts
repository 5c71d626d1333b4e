export interface InFlightLimits {
  readonly requests: number;
  readonly bytes: number;
}

/** What is being read or worked on, bounded by number and by size: load beyond it is shed, never queued. */
export class InFlight {
  readonly #limits: InFlightLimits;
  #requests = 0;
  #bytes = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  get requests(): number {
    return this.#requests;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A place for one more request; undefined when there is none. */
  enter(): Place | undefined {
    if (this.#requests >= this.#limits.requests) return undefined;
    this.#requests++;
    let held = 0;
    let left = false;
    return {
      take: (bytes) => {
        if (left || this.#bytes + bytes > this.#limits.bytes) return false;
        this.#bytes += bytes;
        held += bytes;
        return true;
      },
      leave: () => {
        if (left) return;
        left = true;
        this.#requests--;
        this.#bytes -= held;
      },
    };
  }
}

/** One request's part of what is in flight. */
export interface Place {
  /** Whether there is room for so many bytes more. */
  take(bytes: number): boolean;
  /** Gives everything back; may be called again. */
  leave(): void;
}
