import { RerollError } from './errors';

/** A text that is no label selector. */
export class SelectorError extends RerollError {
  constructor(text: string, reason: string) {
    super(`label selector ${JSON.stringify(text.slice(0, 200))}: ${reason}`, {
      code: 'INVALID_SELECTOR',
      retry: 'never',
    });
  }
}

export type Labels = Readonly<Record<string, unknown>>;

type Requirement = (labels: Labels) => boolean;

/** A Kubernetes label selector; all its requirements must hold, and none selects everything. */
export class Selector {
  /** As the API takes it in `labelSelector`. */
  readonly text: string;
  readonly #requirements: readonly Requirement[];

  constructor(text: string, requirements: readonly Requirement[]) {
    this.text = text;
    this.#requirements = requirements;
  }

  /** Selects every object: the feature is off. */
  get isEverything(): boolean {
    return this.#requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    return this.#requirements.every((requirement) => requirement(labels));
  }
}

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
      const absent = this.#key();
      return (labels) => !Object.hasOwn(labels, absent);
    }
    const key = this.#key();
    const operator = this.#tokens[this.#next];
    if (operator === undefined || operator === ',') return (labels) => Object.hasOwn(labels, key);
    this.#next += 1;
    switch (operator) {
      case '=':
      case '==':
        return isOneOf(key, [this.#value()]);
      case '!=':
        return isNoneOf(key, [this.#value()]);
      case 'in':
        return isOneOf(key, this.#values());
      case 'notin':
        return isNoneOf(key, this.#values());
      case '>':
      case '<':
        return isBeyond(key, operator, this.#integer());
      default:
        return this.#fail(`${JSON.stringify(operator)} after ${key} is no operator: use =, ==, !=, in, notin, > or <`);
    }
  }

  #key(): string {
    const key = this.#tokens[this.#next] ?? '';
    if (!isLabelKey(key))
      this.#fail(key === '' ? 'a label key is missing at the end' : `${JSON.stringify(key)} is no label key`);
    this.#next += 1;
    return key;
  }

  /** May be empty, as in `k=`. */
  #value(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined || token === ',' || token === ')') return '';
    if (token === '*') this.#fail('* is no label value: to select any value write the key alone');
    if (!isLabelValue(token)) this.#fail(`${JSON.stringify(token)} is no label value`);
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
    return integerOf(value) ?? this.#fail(`${JSON.stringify(value)} is no integer to compare with`);
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
      `${found === undefined ? 'the end' : JSON.stringify(found)} stands where ${JSON.stringify(token)} is expected`,
    );
  }

  #fail(reason: string): never {
    throw new SelectorError(this.#text, reason);
  }
}

function isOneOf(key: string, values: readonly unknown[]): Requirement {
  return (labels) => values.includes(labels[key]);
}

/** True also for an object without the label, as in Kubernetes. */
function isNoneOf(key: string, values: readonly unknown[]): Requirement {
  return (labels) => !values.includes(labels[key]);
}

function isBeyond(key: string, operator: '<' | '>', bound: bigint): Requirement {
  return (labels) => {
    const value = integerOf(labels[key]);
    return value !== undefined && (operator === '>' ? value > bound : value < bound);
  };
}

function integerOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

const labelValue = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelPrefix = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

function isLabelValue(text: string): boolean {
  return labelValue.test(text);
}

function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return isLabelValue(text.slice(slash + 1)) && (slash < 0 || labelPrefix.test(text.slice(0, slash)));
}
