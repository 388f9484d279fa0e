import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { expressionErrors } from '../schedule/expression.ts';
import { logLevels } from '../support/logger.ts';

/** Turns a setting's text into its value, or throws an Error whose message completes "NAME is …". */
export type Parser<T> = (text: string) => T;

export const text: Parser<string> = (value) => value;

export function wholeNumber(least: number, most: number): Parser<number> {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new Error(`not a whole number from ${least} to ${most}`);
  };
}

/** Times a second, `0.5` or `20`. */
export const rate: Parser<number> = (value) => {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
  if (number >= 0.01 && number <= 1_000) return number;
  throw new Error('not a number from 0.01 to 1000');
};

export const yesOrNo: Parser<boolean> = (value) => {
  if (['true', 'yes', '1'].includes(value.toLowerCase())) return true;
  if (['false', 'no', '0'].includes(value.toLowerCase())) return false;
  throw new Error('neither true nor false');
};

export function oneOf<const T extends string>(...choices: readonly T[]): Parser<T> {
  return (value) => {
    const choice = choices.find((each) => each === value);
    if (choice !== undefined) return choice;
    throw new Error(`not one of ${choices.join(', ')}`);
  };
}

export const logLevel = oneOf(...logLevels);

const unitsInMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `30s`, `500ms`, `2m`; milliseconds. Bounded by what a timer can hold. */
export const duration: Parser<number> = (value) => {
  const match = /^(\d+)(ms|s|m|h)$/.exec(value);
  const milliseconds = match ? Number(match[1]) * unitsInMs[match[2] as keyof typeof unitsInMs] : 0;
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds;
  throw new Error('not a duration above zero with its unit (ms, s, m, h)');
};

export const timeZone: Parser<string> = (value) => {
  try {
    // An offset is none: Postgres reads its sign the other way round.
    if (!/^[a-z]/i.test(value)) throw new RangeError('no name');
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(value).timeZoneId;
  } catch {
    throw new Error('not a time zone of the IANA database');
  }
};

/** A BCP 47 tag that this machine knows how to write numbers and dates in. */
export const locale: Parser<string> = (value) => {
  try {
    const [known] = Intl.DateTimeFormat.supportedLocalesOf(value);
    if (known !== undefined) return known;
  } catch {
    // Not even a tag.
  }
  throw new Error('not a locale that is known here');
};

/** Five fields, or six that begin with seconds. */
export const cronExpression: Parser<string> = (value) => {
  const expression = value.trim().replaceAll(/\s+/g, ' ');
  const errors = expressionErrors(expression);
  if (errors.length > 0) throw new Error(`not a cron expression: ${errors.join(', ')}`);
  return expression;
};

export function url(...protocols: readonly string[]): Parser<string> {
  return (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (!parsed || !protocols.includes(parsed.protocol))
      throw new Error(`not an address that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    if (!decodes(value)) throw new Error('an address with a % in it that should be %25');
    return value;
  };
}

/** A mail server's address; all that may stand behind the `?` is `tls=optional`. */
export const smtpUrl: Parser<string> = (value) => {
  const { search } = new URL(url('smtp:', 'smtps:')(value));
  if (search === '' || search === '?tls=optional') return value;
  throw new Error('an address with something else than tls=optional behind the ?');
};

function decodes(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

export const serviceUrl: Parser<string> = (value) => {
  const parsed = new URL(url('http:', 'https:')(value));
  if (parsed.username || parsed.password) throw new Error('an address with a user name or password in it');
  if (parsed.search || parsed.hash) throw new Error('an address with a query or a fragment');
  return parsed.href.replace(/\/+$/, '');
};

const address = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/;

/** One address without a display name: `ana@example.com`. */
export const mailAddress: Parser<string> = (value) => {
  if (address.test(value) && value.length <= 254) return value;
  throw new Error('not a mail address');
};

/** An address with or without a display name: `Callsheet <callsheet@example.com>`. */
export const mailbox: Parser<string> = (value) => {
  const named = /^([^<>\r\n]*)<([^<>]+)>$/.exec(value);
  mailAddress(named?.[2]?.trim() ?? value);
  return value;
};

export const mailAddresses: Parser<readonly string[]> = (value) => {
  const addresses = value.split(',').map((each) => each.trim());
  for (const each of addresses) {
    if (!address.test(each)) throw new Error(`a list with "${each}" in it, which is not a mail address`);
  }
  return [...new Set(addresses)];
};

/** A name or an address of a machine, without a port: `127.0.0.1`, `::`, `callsheet.example.com`. */
export const hostName: Parser<string> = (value) => {
  const named = /^[a-z\d.-]+$/i.test(value) && URL.parse(`http://${value}/`)?.host === value.toLowerCase();
  if (isIP(value) > 0 || named) return value.toLowerCase();
  throw new Error('not the name or address of a machine');
};

export const hostNames: Parser<readonly string[]> = (value) =>
  value.split(',').map((each) => hostName(each.trim()));

/** A secret that people and machines send: long enough not to be guessed. */
export const passphrase: Parser<string> = (value) => {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error('a text with white space or other than ASCII in it');
  if (value.length < 16) throw new Error('shorter than 16 characters');
  return value;
};

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** A database's address, with an sslmode of libpq's and certificate files that are there. */
export const databaseUrl: Parser<string> = (value) => {
  const { searchParams } = new URL(url('postgres:', 'postgresql:')(value));
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode))
    throw new Error(`an address whose sslmode is not one of ${sslModes.join(', ')}`);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    if (file !== null && !existsSync(file))
      throw new Error(`an address whose ${name} names no file (${file})`);
  }
  return value;
};
