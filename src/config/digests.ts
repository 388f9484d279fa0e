import { z } from 'zod';
import type { DigestDefinition } from '../model/digest.ts';
import { readListFile, repeated } from './list-file.ts';
import { locale, mailAddress, mailAddresses, type Parser, text, timeZone } from './parsers.ts';
import type { SettingReader } from './reader.ts';

/** The digest's name where the settings give none. */
const standardName = 'Campaigns';

/** Stands in for a recipient when messages only go to a folder and nobody was named. */
const nobody = 'manager@localhost';

/** How a digest is written where the settings don't say: as its texts are. */
const standardLocale = 'en-GB';

/** The digests: one to `DIGEST_TO`, or those of `DIGESTS_FILE`; for the folder alone, one to nobody in particular. */
export function readDigests(
  reader: SettingReader,
  accounts: readonly string[],
  zone: string,
  toFolder: boolean,
): readonly DigestDefinition[] {
  const to = reader.optional('DIGEST_TO', mailAddresses, 'ana@example.com,ben@example.com');
  const path = reader.optional('DIGESTS_FILE', text, 'digests.yaml');
  if (to !== null && path !== null)
    reader.faults.push('DIGEST_TO and DIGESTS_FILE are both set: keep one of them');
  if (path !== null) return fromFile(reader.faults, path, accounts, zone);
  const standard = {
    ...{ name: standardName, accounts, locale: standardLocale, timeZone: zone },
    ...{ extraFields: [], lowBalance: null },
  };
  if (to !== null) return [{ ...standard, to }];
  return toFolder ? [{ ...standard, to: [nobody] }] : [];
}

/** A text that a setting's parser takes. */
const parsed = (parse: Parser<string>) =>
  z.string().superRefine((value, context) => {
    try {
      parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${(error as Error).message} (${JSON.stringify(value)})` });
    }
  });

const entrySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u, 'not a short name of letters, digits, spaces'),
  to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), z.array(parsed(mailAddress)).min(1)),
  accounts: z.array(z.string()).min(1).optional(),
  locale: parsed(locale).optional(),
  time_zone: parsed(timeZone).optional(),
  extra_fields: z.array(z.string().min(1)).optional(),
  low_balance: z.number().optional(),
});

function fromFile(
  faults: string[],
  path: string,
  accounts: readonly string[],
  zone: string,
): DigestDefinition[] {
  const entries = readListFile('DIGESTS_FILE', path, entrySchema, faults) ?? [];
  for (const name of repeated(entries.map((entry) => entry.name))) {
    faults.push(`DIGESTS_FILE (${path}): the name ${name} stands in it twice`);
  }
  for (const entry of entries) {
    const unknown = entry.accounts?.find((name) => !accounts.includes(name));
    if (unknown !== undefined)
      faults.push(`DIGESTS_FILE (${path}): digest ${entry.name}: no account is called ${unknown}`);
  }
  return entries.map((entry) => ({
    name: entry.name,
    to: [...new Set(entry.to)],
    accounts: entry.accounts ?? accounts,
    locale: entry.locale ?? standardLocale,
    timeZone: entry.time_zone ?? zone,
    extraFields: [...new Set(entry.extra_fields)],
    lowBalance: entry.low_balance ?? null,
  }));
}
