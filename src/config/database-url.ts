import { existsSync } from 'node:fs';
import { honouredParameters, isReadableOnTheWay } from '../support/database-url.ts';
import { formatList, plural } from '../support/english.ts';
import { url } from './addresses.ts';
import { isWithinEdits } from './near-miss.ts';

/** Parameters of libpq that have no effect here: what isn't about the connection itself, or Node has no word for. */
const ignoredParameters = [
  'hostaddr dbname passfile require_auth connect_timeout client_encoding service servicefile',
  'fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count',
  'tcp_user_timeout replication gssencmode requiressl sslnegotiation sslcompression',
  'sslpassword sslcertmode sslcrl sslcrldir sslsni sslkeylogfile requirepeer krbsrvname',
  'ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version',
  'gsslib gssdelegation scram_client_key scram_server_key target_session_attrs',
  'load_balance_hosts oauth_issuer oauth_client_id oauth_client_secret oauth_scope',
].flatMap((names) => names.split(' '));

const known: ReadonlySet<string> = new Set([...honouredParameters, ...ignoredParameters]);

const choices: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
  ssl: ['true'],
  channel_binding: ['disable', 'prefer', 'require'],
};

/** A database's address, with parameters as libpq has them and certificate files that exist. */
export const databaseUrl = url('postgres', 'postgresql').superRefine((address, context) => {
  for (const [name, value] of URL.parse(address)?.searchParams ?? []) {
    const problem = problemOf(name, value);
    if (problem !== null) context.addIssue(`an address ${problem}`);
  }
});

function problemOf(name: string, value: string): string | null {
  const meant = known.has(name) ? undefined : nearest(name);
  if (meant !== undefined) return `with a parameter ${name}: did you mean ${meant}?`;
  const allowed = choices[name];
  if (allowed !== undefined && !allowed.includes(value))
    return `whose ${name} is not one of ${allowed.join(', ')}`;
  const isFile = ['sslrootcert', 'sslcert', 'sslkey'].includes(name) && value !== 'system';
  return isFile && !existsSync(value) ? `whose ${name} names no file (${value})` : null;
}

/** The parameter that a name is a letter or two off; upper and lower case don't count. */
function nearest(name: string): string | undefined {
  const lower = name.toLowerCase();
  return [...known].find((each) => isWithinEdits(lower, each, each.length < 6 ? 0 : each.length < 8 ? 1 : 2));
}

/** What of a database's address is probably not what was meant, or not safe. Repeats nothing secret of it. */
export function databaseUrlWarnings(setting: string, address: string | null): string[] {
  if (address === null) return [];
  const parsed = new URL(address);
  const honoured: readonly string[] = honouredParameters;
  const ignored = [...new Set(parsed.searchParams.keys())].filter((name) => !honoured.includes(name));
  const warnings: string[] = [];
  if (ignored.length > 0)
    warnings.push(`${setting}: ${plural(ignored.length, 'parameter')} ${formatList(ignored)} without effect`);
  if (isReadableOnTheWay(parsed))
    warnings.push(
      `${setting} leads to another machine without TLS: whoever is between can read and change everything; add sslmode=verify-full, unless that network is yours alone`,
    );
  return warnings;
}
