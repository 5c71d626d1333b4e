export interface InFlightLimits {
  readonly requests: number;
  readonly bytes: number;
}

/** Bounds the number and size of the reviews in flight. Load beyond the limits is shed, never queued. */
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

  /** A place for one more request; undefined if all are taken. */
  enter(): Reservation | undefined {
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

/** A request's share of what is in flight. */
export interface Reservation {
  /** Reserves more bytes; false if there is no room. */
  take(bytes: number): boolean;
  /** Releases everything. May be called more than once. */
  leave(): void;
}
