import { RerollError } from '../../shared/domain/errors';
import { ForbiddenError, InvalidError } from '../../shared/kube/errors';
import { BaselineTooLargeError } from '../apply/baseline-too-large-error';
import { MarkerLostError } from '../apply/patch-workload';

/** Errors that a person must fix. */
const personsErrors = [ForbiddenError, InvalidError, BaselineTooLargeError, MarkerLostError] as const;

/** Whether retries do not help until a person does something. */
export function isForPerson(error: unknown): boolean {
  return personsErrors.some((type) => error instanceof type);
}

/** The code of an error that a person must fix; undefined for another. */
export function codeForPerson(error: unknown): string | undefined {
  return isForPerson(error) && error instanceof RerollError ? error.code : undefined;
}
