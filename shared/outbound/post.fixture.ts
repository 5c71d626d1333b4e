import type { Post, PostAnswer, PostTransport } from './post-transport';

export const ok: PostAnswer = { status: 200, retryAfterMs: undefined };

/** A receiver with scripted answers, which records what it gets. */
export class FakePostTransport implements PostTransport {
  readonly posts: Post[] = [];
  #answer: (index: number, signal: AbortSignal) => PostAnswer | Promise<PostAnswer>;

  constructor(answer: (index: number, signal: AbortSignal) => PostAnswer | Promise<PostAnswer> = () => ok) {
    this.#answer = answer;
  }

  /** Sets how it answers from now on. */
  answerWith(answer: (index: number, signal: AbortSignal) => PostAnswer | Promise<PostAnswer>): void {
    this.#answer = answer;
  }

  get texts(): readonly string[] {
    return this.posts.map(({ body }) => body.toString());
  }

  async post(post: Post, signal: AbortSignal): Promise<PostAnswer> {
    this.posts.push(post);
    return await this.#answer(this.posts.length - 1, signal);
  }
}

/** Never answers, and ignores the signal. */
export const hang = async (): Promise<PostAnswer> => await new Promise(() => undefined);
