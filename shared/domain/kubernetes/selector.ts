import { cutToBytes } from '../text/cut-to-bytes';
import { RerollError } from '../errors';

const maxReasonBytes = 300;

/** A text that is not a label selector. */
export class SelectorError extends RerollError {
  constructor(text: string, reason: string) {
    super(`label selector ${JSON.stringify(text.slice(0, 200))}: ${cutToBytes(reason, maxReasonBytes)}`, {
      code: 'INVALID_SELECTOR',
    });
  }
}

export type Labels = Readonly<Record<string, unknown>>;

/** One term of a selector. */
export type Requirement =
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'absent' }
  | { readonly key: string; readonly operator: '>' | '<'; readonly bound: bigint };

/** A Kubernetes label selector: all its requirements must hold, and a selector without any selects everything. */
export class Selector {
  /** In the syntax of the API's `labelSelector` parameter. */
  readonly text: string;
  readonly requirements: readonly Requirement[];

  constructor(text: string, requirements: readonly Requirement[]) {
    this.text = text;
    this.requirements = requirements;
  }

  /** Selects every object: the filter is off. */
  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Removing a label may make an object match. */
  get mayBeMetByRemoval(): boolean {
    return this.requirements.some(({ operator }) => operator === 'absent' || operator === 'notin');
  }

  matches(labels: Labels): boolean {
    return this.requirements.every((requirement) => holds(requirement, labels));
  }
}

/** Selects every object. */
export const everything = new Selector('', []);

/**
 * Parses the grammar of apimachinery's `labels.Parse`: `k=v`, `k==v`, `k!=v`, `k in (a,b)`, `k notin (a)`, `k`, `!k`,
 * `k>1`, `k<1`, joined by commas. Throws a SelectorError.
 */
export function parseSelector(text: string): Selector {
  return new Selector(text, new Parser(text).requirements());
}

const tokens = /==|!=|[=!(),<>]|[^=!(),<>\s]+/g;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(tokens) ?? [];
  }

  requirements(): readonly Requirement[] {
    if (this.#tokens.length === 0) return [];
    const requirements = [this.#requirement()];
    while (this.#next < this.#tokens.length) {
      this.#expect(',');
      requirements.push(this.#requirement());
    }
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#take('!')) {
      return { key: this.#key(), operator: 'absent' };
    }
    const key = this.#key();
    const operator = this.#tokens[this.#next];
    if (operator === undefined || operator === ',') return { key, operator: 'exists' };
    this.#next += 1;
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value()] };
      case '!=':
        return { key, operator: 'notin', values: [this.#value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#values() };
      case '>':
      case '<':
        return { key, operator, bound: this.#integer() };
      default:
        return this.#fail(
          `${JSON.stringify(operator)} after ${key} is not an operator: use =, ==, !=, in, notin, > or <`,
        );
    }
  }

  #key(): string {
    const key = this.#tokens[this.#next] ?? '';
    if (!isLabelKey(key))
      this.#fail(key === '' ? 'a label key is missing at the end' : `${JSON.stringify(key)} is not a label key`);
    this.#next += 1;
    return key;
  }

  /** May be empty, as in `k=`. */
  #value(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined || token === ',' || token === ')') return '';
    if (token === '*') this.#fail('* is not a label value: to select any value write the key alone');
    if (!isLabelValue(token)) this.#fail(`${JSON.stringify(token)} is not a label value`);
    this.#next += 1;
    return token;
  }

  #values(): readonly string[] {
    this.#expect('(');
    if (this.#take(')')) this.#fail('the list of values is empty');
    const values = [this.#value()];
    while (!this.#take(')')) {
      this.#expect(',');
      values.push(this.#value());
    }
    return values;
  }

  #integer(): bigint {
    const value = this.#value();
    return integerOf(value) ?? this.#fail(`${JSON.stringify(value)} is not an integer to compare with`);
  }

  #take(token: string): boolean {
    const taken = this.#tokens[this.#next] === token;
    if (taken) this.#next += 1;
    return taken;
  }

  #expect(token: string): void {
    if (this.#take(token)) return;
    const found = this.#tokens[this.#next];
    this.#fail(
      `${found === undefined ? 'the end' : JSON.stringify(found)} found where ${JSON.stringify(token)} is expected`,
    );
  }

  #fail(reason: string): never {
    throw new SelectorError(this.#text, reason);
  }
}

function holds(requirement: Requirement, labels: Labels): boolean {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'exists':
      return Object.hasOwn(labels, key);
    case 'absent':
      return !Object.hasOwn(labels, key);
    case 'in':
      return includes(requirement.values, labels[key]);
    case 'notin':
      // Objects without the label match too, as in Kubernetes.
      return !includes(requirement.values, labels[key]);
    case '>':
    case '<': {
      const value = integerOf(labels[key]);
      if (value === undefined) return false;
      return requirement.operator === '>' ? value > requirement.bound : value < requirement.bound;
    }
  }
}

function includes(values: readonly unknown[], value: unknown): boolean {
  return values.includes(value);
}

const maxInt64 = 2n ** 63n - 1n;

function integerOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,63}$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer <= maxInt64 ? integer : undefined;
}

const labelValue = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelPrefix = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

export function isLabelValue(text: string): boolean {
  return labelValue.test(text);
}

export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return isLabelValue(text.slice(slash + 1)) && (slash < 0 || labelPrefix.test(text.slice(0, slash)));
}
