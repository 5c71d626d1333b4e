import type * as z from 'zod';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { printable } from '../../shared/domain/text/printable';
import { askLeader, type Silent, type Told } from './ask-leader';
import type { Cluster } from './cluster';
import { LeaderSilentError } from './silence';

/** 400,000 workloads: more than a cluster has. */
export const maxPages = 200;
/** Of all pages together. A row takes some 250 bytes. */
export const maxPagesBytes = 64 * 1024 * 1024;

/** All pages, or why the leader did not send all of them. */
export type ToldPages<Page> = { readonly pages: readonly TellingPage<Page>[]; readonly silence?: undefined } | Silent;
export type TellingPage<Page> = Exclude<Told<Page>, Silent>;

/** The fields of a page that lead to the next. */
export type PageSchema = z.ZodType<{ readonly continue?: string | undefined }>;

/**
 * Asks the leader for one page after the other. It is the leader that says whether there is another one: a process that
 * somebody took over could go on for ever, so their number and their size are bounded.
 *
 * @throws KubeError if the API server itself does not answer
 */
export async function askPages<Schema extends PageSchema>(
  cluster: Pick<Cluster, 'ask'>,
  pathOf: (token: string) => string,
  schema: Schema,
): Promise<ToldPages<Tolerant<z.output<Schema>>>> {
  const pages: TellingPage<Tolerant<z.output<Schema>>>[] = [];
  let bytes = 0;
  for (let token: string | undefined = ''; token !== undefined;) {
    const told: Told<Tolerant<z.output<Schema>>> = await askLeader(cluster, pathOf(token), schema);
    if (told.silence) return told;
    pages.push(told);
    bytes += told.bytes;
    token = told.said.continue;
    const isEndless = token !== undefined && pages.length >= maxPages;
    if (isEndless || bytes > maxPagesBytes) return { silence: endless(told.pod) };
  }
  return { pages };
}

function endless(pod: string): LeaderSilentError {
  const most = `${maxPages} pages or ${maxPagesBytes / 1024 / 1024} MiB`;
  return new LeaderSilentError(
    'endless',
    `the leader ${printable(pod)} sends more than ${most}, which no cluster fills: it was not asked any further`,
  );
}
