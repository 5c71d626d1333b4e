import { errorMessage } from '../../shared/domain/errors';
import type { Facts } from '../parts/facts';
import { callCheck } from './call-check';
import { certificateCheck } from './certificate-check';
import { channelCheck } from './channel-check';
import { clockCheck } from './clock-check';
import { endpointsCheck } from './endpoints-check';
import { engineCheck } from './engine-check';
import { unknown, type Check, type Finding } from './finding';
import { holdsCheck } from './holds-check';
import { leaseCheck } from './lease-check';
import { registrationsCheck } from './registrations-check';
import { replicasCheck } from './replicas-check';
import { rightsCheck } from './rights-check';
import { spareRightsCheck } from './spare-rights-check';
import { versionsCheck } from './versions-check';
import { watchesCheck } from './watches-check';

/** All checks, in the order in which they are shown. To add one, write its file and its row. */
export const checks: readonly Check[] = [
  leaseCheck,
  replicasCheck,
  versionsCheck,
  engineCheck,
  holdsCheck,
  watchesCheck,
  rightsCheck,
  spareRightsCheck,
  registrationsCheck,
  endpointsCheck,
  callCheck,
  certificateCheck,
  channelCheck,
  clockCheck,
];

/** A finding, and the check that found it. */
export interface NamedFinding extends Finding {
  readonly name: string;
}

/** Runs all checks. One that cannot be made is unknown, and the others go on. */
export async function runChecks(facts: Facts, all: readonly Check[] = checks): Promise<readonly NamedFinding[]> {
  return await Promise.all(
    all.map(async ({ name, look }): Promise<NamedFinding> => {
      const finding = await look(facts).catch((thrown: unknown) =>
        unknown(`it could not be checked: ${errorMessage(thrown)}`),
      );
      return { name, ...finding };
    }),
  );
}
