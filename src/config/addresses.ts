import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { sslModeOf } from '../support/database-url.ts';
import { errorOf, filePath, maxSecretLength, passwordError, resultOrNull, tooLong } from './formats.ts';

// Addresses of servers and people. Each message completes "NAME is …".

export function url(...protocols: readonly string[]) {
  const beginnings = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return z
    .string()
    .max(maxSecretLength, tooLong)
    .regex(/^\P{Cc}*$/u, 'an address with a control character in it')
    .superRefine((address, context) => {
      const sign = unescapedSign(address, protocols);
      if (sign === null) return;
      const code = `%${sign.codePointAt(0)!.toString(16).toUpperCase()}`;
      context.addIssue({
        code: 'custom',
        message: `an address with a ${sign} in its user or password that should be ${code}`,
        continue: false,
      });
    })
    .pipe(
      z.url({
        protocol: new RegExp(`^(${protocols.join('|')})$`),
        error: `not an address that begins with ${beginnings}`,
      }),
    )
    .refine(
      (address) => resultOrNull(() => decodeURIComponent(address)) !== null,
      'an address with a % in it that should be %25',
    )
    .superRefine((address, context) => {
      const error = passwordError(resultOrNull(() => decodeURIComponent(parts(address).password!)) ?? '');
      if (error !== null) context.addIssue(`an address with a password ${error}`);
    });
}

/**
 * The sign in a user or password that ends the host of an address: `smtp://user:a/b@host` leads to the host `user`.
 * Null if there is none.
 */
function unescapedSign(address: string, protocols: readonly string[]): string | null {
  const [protocol, rest = ''] = address.split('://', 2);
  if (!protocols.includes(protocol!)) return null;
  const end = rest.search(/[/?#]/);
  const beginning = rest.slice(0, end);
  if (end < 0 || beginning.includes('@') || !rest.slice(end).includes('@')) return null;
  // Else it is a host, with a port or without, and the @ belongs to what follows.
  return /^[^:[]+:(?!\d+$)/.test(beginning) ? rest[end]! : null;
}

const parts = (address: string): Partial<URL> => URL.parse(address) ?? {};

function without(...keys: readonly (keyof URL)[]) {
  return (address: string) => keys.every((key) => !parts(address)[key]);
}

export const serviceUrl = url('http', 'https')
  .refine(without('username', 'password'), 'an address with a user name or password in it')
  .refine(without('search', 'hash'), 'an address with a query or a fragment')
  .overwrite((address) => parts(address).href?.replace(/\/+$/, '') ?? address);

/**
 * A mail server's address. Its query may have `name=`, which greets the server, and `tls=optional`, but not with smtps,
 * which starts with TLS.
 */
export const smtpUrl = url('smtp', 'smtps')
  .refine(without('hash'), 'an address with a # in it that should be %23')
  .refine((address) => parts(address).hostname !== '', {
    error: 'an address without a host',
    abort: true,
  })
  .refine(
    (address) => ['', '/'].includes(parts(address).pathname ?? ''),
    'an address with a / after the host; in a user or password it should be %2F',
  )
  .superRefine((address, context) => {
    for (const [name, value] of parts(address).searchParams ?? []) {
      const error = smtpParameterError(name, value, parts(address).protocol === 'smtps:');
      if (error !== null) context.addIssue(`an address ${error}`);
    }
  });

function smtpParameterError(name: string, value: string, isTls: boolean): string | null {
  if (name === 'name')
    return errorOf(hostName, value) === null ? null : 'with a name= that is not a host name';
  if (name !== 'tls' || value !== 'optional')
    return 'with something other than name=… or tls=optional after the ?; in a user or password a ? should be %3F';
  return isTls ? 'of smtps with tls=optional, which works only with smtp' : null;
}

/** The parameters of a database's address that have an effect. They mean the same as in libpq. */
const databaseParameters = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'channel_binding',
  'application_name',
  'options',
  'host',
];

/** Modes that pg can enforce. With libpq's `allow` and `prefer`, the server would decide about TLS. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** A database's address. Its parameters have an effect, and its certificates exist. */
export const databaseUrl = z
  .string()
  .refine((address) => !hasSeveralHosts(address), {
    error: 'an address with several hosts; use one, such as a name that leads to the primary',
    abort: true,
  })
  .pipe(url('postgres', 'postgresql'))
  .refine(without('hash'), 'an address with a # in it that should be %23')
  .refine(
    (address) => !parts(address).pathname?.includes('@'),
    'an address with a / in its user or password that should be %2F',
  )
  .superRefine((address, context) => {
    for (const [name, value] of parts(address).searchParams ?? []) {
      const error = parameterError(name, value);
      if (error !== null) context.addIssue(`an address ${error}`);
    }
  })
  .refine(
    (address) => !bindsWithoutTls(address),
    'an address with channel_binding=require but without TLS; add sslmode=verify-full, or sslmode=require',
  )
  .refine(
    // A name isn't checked: with the public authorities, anybody's certificate would do.
    (address) => {
      const { searchParams } = parts(address);
      return searchParams?.get('sslmode') !== 'verify-ca' || searchParams.has('sslrootcert');
    },
    'an address with sslmode=verify-ca but without an authority; add sslrootcert=FILE, or use sslmode=verify-full',
  );

/** libpq tries one after the other; pg would take the list for a name. */
function hasSeveralHosts(address: string): boolean {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(address) ?? [];
  const named = parts(address).searchParams?.get('host') ?? '';
  return [authority.split('@').at(-1)!, named].some((host) => host.includes(','));
}

/** A channel is bound to the certificate of the server. */
function bindsWithoutTls(address: string): boolean {
  const url = URL.parse(address);
  if (url?.searchParams.get('channel_binding') !== 'require') return false;
  return [null, 'disable'].includes(sslModeOf(url));
}

function parameterError(name: string, value: string): string | null {
  if (!databaseParameters.includes(name)) {
    // If a password contains a ? instead of %3F, the name is the rest of the password.
    const shown = /^\w+$/.test(name) ? name : 'something';
    return `with ${shown} after the ?, which isn't one of ${databaseParameters.join(', ')}`;
  }
  if (name === 'sslmode') return choiceError(name, value, sslModes);
  if (name === 'channel_binding') return choiceError(name, value, ['disable', 'prefer', 'require']);
  const isFile = name.startsWith('ssl') && value !== 'system';
  if (isFile && errorOf(filePath, value) !== null) return `with an address in ${name}, which names a file`;
  return isFile && !existsSync(value) ? `with ${name}=${path.resolve(value)}, which doesn't exist` : null;
}

function choiceError(name: string, value: string, choices: readonly string[]): string | null {
  return choices.includes(value) ? null : `with an unknown ${name}; use one of ${choices.join(', ')}`;
}

const notAnAddress = 'not a mail address';
const addressPattern = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/;

/** One address without a display name: `ana@example.com`. */
export const mailAddress = z.email({ pattern: addressPattern, error: notAnAddress }).max(254, notAnAddress);

/** An address with or without a display name: `Callsheet <callsheet@example.com>`. */
export const mailbox = z.string().superRefine((value, context) => {
  const [, name = '', address = value] = /^([^<>\r\n]*)<([^<>]+)>$/.exec(value) ?? [];
  if (!mailAddress.safeParse(address.trim()).success) context.addIssue(notAnAddress);
  // Outside of quotes these begin a quotation, a comment and a group.
  else if (/["():]/.test(name) && !/^"([^"\\]|\\.)*"\s*$/.test(name))
    context.addIssue('a name that needs " before and after it, because it contains ", (, ) or :');
});

const placeholders = ['{day}', '{from}', '{to}', '{account}'];

/** A web page's address with placeholders for the days and account of a mail. */
export const linkTemplate = url('http', 'https')
  .refine(without('username', 'password'), 'an address with a user name or password in it')
  .superRefine((address, context) => {
    const unknown = address.match(/\{[^}]*\}?/g)?.find((part) => !placeholders.includes(part));
    if (unknown !== undefined)
      context.addIssue(`an address with ${unknown} in it, which isn't one of ${placeholders.join(', ')}`);
  });

/** Items separated by commas, without duplicates. An error names the first malformed one. */
function listOf(item: z.ZodType<string>) {
  return z
    .string()
    .transform((list) => [...new Set(list.split(',').map((part) => part.trim()))])
    .superRefine((parts, context) => {
      const wrong = parts.find((part) => errorOf(item, part) !== null);
      if (wrong !== undefined)
        context.addIssue(
          `a list with "${wrong}", which is ${errorOf(item, wrong)}; commas separate its entries`,
        );
    });
}

export const mailAddresses = listOf(mailAddress);

/** Each mailbox once, as it is written first: its case means nothing, nor how its domain is written. */
export function distinctMailboxes(addresses: readonly string[]): string[] {
  const byMailbox = new Map(addresses.toReversed().map((each) => [mailboxOf(each), each]));
  return [...new Set(addresses.map((each) => byMailbox.get(mailboxOf(each))!))];
}

function mailboxOf(address: string): string {
  const [local, domain] = address.split('@') as [string, string];
  return `${local}@${domainToASCII(domain) || domain}`.toLowerCase();
}

/** A name or an address of a machine, without a port: `127.0.0.1`, `::`, `callsheet.example.com`. */
export const hostName = z
  .string()
  .toLowerCase()
  .refine(
    (name) => isIP(name) > 0 || (/^[a-z\d.-]+$/.test(name) && URL.parse(`http://${name}/`)?.host === name),
    'not a host name or an IP address',
  );

export const hostNames = z.string().toLowerCase().pipe(listOf(hostName));
