import { jsonOf, promise, requireFitToShow, secretMarker, type Target } from '../target';
import { decodeMaterial } from '../../../certs/secret-data';
import { json } from '../samples';
import { certificateData } from '../certificate-samples';
import { names } from '../../../certs/issuing.fixture';

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** The Secret with the CA and the leaf certificates. */
export const target: Target = {
  seeds: [
    json({ 'state.json': encode('{"generation":1,"since":"2026-01-01T00:00:00Z"}'), 'ca.key': encode(secretMarker) }),
    json({ 'ca.crt': encode('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n') }),
  ],
  moreSeeds: async () => [json(await certificateData())],
  maxBytes: 256 * 1024,
  run: (input) => {
    const data = jsonOf(input);
    const { problems, leaves, ca } = decodeMaterial(data, names);
    for (const problem of problems) requireFitToShow(problem, 'a problem');
    promise(ca !== undefined || Object.keys(leaves).length === 0 || problems.length > 0, 'what lacks is told');
  },
};
