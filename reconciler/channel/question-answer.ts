import type { Answer } from './batch-answer';
import { readJsonBody } from './json-body';

/** Answers a question: 200, or 503 if another replica must be asked. Throws only for our own errors. */
export async function answerQuestion<Question>(
  body: Buffer,
  parse: (value: unknown) => Question,
  ask: (question: Question) => Promise<object | undefined> | object | undefined,
): Promise<Answer> {
  const question = readJsonBody(body, parse);
  if ('error' in question) return { status: 400, body: question };
  const answer = await ask(question.value);
  return answer
    ? { status: 200, body: answer }
    : {
        status: 503,
        body: { error: 'this replica cannot answer: another one leads, or the first lists are not complete yet' },
      };
}
