import type { LogFields, Logger } from '../log/logger';

/** What a slot must know about its material. */
export interface MaterialKind<Material> {
  /** Why TLS must not use the material; undefined if it may. */
  problemOf(material: Material): string | undefined;
  isSame(left: Material, right: Material): boolean;
  /** For the log. */
  loaded(material: Material, isFirst: boolean): readonly [message: string, fields?: LogFields];
  notLoaded(isFirst: boolean): string;
}

/** Holds the material in use, and accepts new material only if TLS could work with it. */
export class MaterialSlot<Material> {
  readonly #logger: Logger;
  readonly #kind: MaterialKind<Material>;
  readonly #listeners: (() => void)[] = [];
  #current: Material | undefined;
  /** The last reported problem. It is reported once, not at each attempt. */
  #reported: string | undefined;

  /** `logger` names the origin of the material. */
  constructor(logger: Logger, kind: MaterialKind<Material>) {
    this.#logger = logger;
    this.#kind = kind;
  }

  current(): Material | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  offer(material: Material): void {
    const problem = this.#kind.problemOf(material);
    if (problem !== undefined) {
      this.refuse(problem);
      return;
    }
    const previous = this.#current;
    this.#reported = undefined;
    if (previous !== undefined && this.#kind.isSame(previous, material)) return;
    this.#current = material;
    this.#logger.info(...this.#kind.loaded(material, previous === undefined));
    for (const listener of this.#listeners) listener();
  }

  /** Reports that there is no new usable material, because of `problem`. */
  refuse(problem: string): void {
    if (this.#reported === problem) return;
    this.#reported = problem;
    this.#logger.warn(this.#kind.notLoaded(this.#current === undefined), { problem });
  }
}
