import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { commandNames, settingNames as known, read } from './known.ts';

type Service = {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  env_file?: string;
  secrets?: string[];
  volumes?: string[];
  [key: string]: unknown;
};
type Composition = { services: Record<string, Service>; secrets?: Record<string, { file: string }> };
const text = read('compose.yaml');
const composition = (yaml: string) => parse(yaml, { merge: true }) as Composition;
const { services } = composition(text);
const ours = Object.entries(services).filter(([, service]) => service.image?.startsWith('${IMAGE:-'));

/** What is in `.env` where somebody did what the first lines of compose.yaml say. */
const filledIn = { ...parseEnv(read('.env.example')), SIDTOKEN: 'a-session-token' };

/** A value as Compose reads it, from the innermost of `${A}`, `${A-word}` and `${A:-word}` outwards. */
function interpolated(value: string, variables: Record<string, string | undefined>): string {
  const [whole, name, colon, word = ''] = /\$\{(\w+)(?:(:?)-([^${}]*))?\}/.exec(value) ?? [];
  if (whole === undefined) return value;
  const given = variables[name!];
  const written = colon === ':' ? given || word : (given ?? word);
  return interpolated(
    value.replace(whole, () => written),
    variables,
  );
}

/** The variables of a container, where `.env` has these. */
function variablesOf(service: Service, env: Record<string, string | undefined>): Record<string, string> {
  const own = Object.entries(service.environment!).map(([name, value]) => [name, interpolated(value, env)]);
  return { ...env, ...Object.fromEntries(own) };
}

const load = (environment: Record<string, string>) =>
  loadConfig(environment, { service: true }, createRedactor());

describe('compose.yaml', () => {
  it('is the app, Postgres 18 and Mailpit, and runs commands that exist', async () => {
    expect(Object.keys(services).sort()).toEqual(['mailpit', 'migrate', 'postgres', 'schedule']);
    expect(services.postgres!.image).toBe('postgres:18');
    expect(services.mailpit!.image).toMatch(/^axllent\/mailpit:v\d/);
    const commands = commandNames();
    expect(ours.map(([, { command }]) => command)).toEqual([['migrate'], ['schedule']]);
    for (const [, { command }] of ours) expect(commands).toContain(command![0]);
  });

  it('sets settings that exist, and reads the others from .env', () => {
    for (const [name, { environment, env_file }] of ours) {
      expect([name, env_file]).toEqual([name, '.env']);
      expect(Object.keys(environment!).filter((setting) => !known.includes(setting))).toEqual([]);
    }
  });

  it.each(ours)('%s uses its own Postgres and Mailpit where .env says nothing', (_, service) => {
    for (const [variables, password] of [
      [filledIn, 'callsheet'],
      [{ ...filledIn, POSTGRES_PASSWORD: 'other' }, 'other'],
    ] as const) {
      const { config, secrets, warnings } = load(variablesOf(service, variables));
      expect(warnings).toEqual([expect.stringContaining('without TLS')]);
      expect([secrets.databaseUrl(), secrets.smtpUrl()]).toEqual([
        `postgres://callsheet:${password}@postgres/callsheet?sslmode=disable`,
        'smtp://mailpit:1025?tls=optional',
      ]);
      expect(config.digests.map(({ to }) => to)).toEqual([['manager@example.com']]);
      expect(services.postgres!.environment).toMatchObject({
        POSTGRES_USER: 'callsheet',
        POSTGRES_DB: 'callsheet',
      });
      expect(interpolated(services.postgres!.environment!.POSTGRES_PASSWORD!, variables)).toBe(password);
    }
  });

  it.each(ours)('%s takes what .env says', (_, service) => {
    const settings = {
      DATABASE_URL: 'postgres://callsheet:pa$word@db.example.com/callsheet?sslmode=verify-full',
      SMTP_URL: 'smtp://user:pa$word@mail.example.com:587',
      DIGEST_FROM: 'Figures <figures@example.com>',
      DIGEST_TO: 'ana@example.com,ben@example.com',
      RETRY_FOR: '2h',
    };
    expect(variablesOf(service, { ...filledIn, ...settings })).toMatchObject(settings);
    const names = (env: Record<string, string>) =>
      load(variablesOf(services.schedule!, { ...filledIn, ...env })).config.http.names;
    expect(names({})).toEqual(['0.0.0.0', 'schedule', 'localhost']);
    expect(names({ HTTP_NAMES: 'a.example.com,b.example.com' })).toEqual([
      '0.0.0.0',
      'schedule',
      'a.example.com',
      'b.example.com',
    ]);
  });

  it('mounts accounts, digests and a certificate by the lines that are commented out', () => {
    const uncommented = composition(
      text.replaceAll(/^( *)# ((?:secrets|volumes):.*| *- \w+\.yaml| +\w+\.yaml: .*)$/gm, '$1$2'),
    );
    const { secrets } = uncommented;
    expect(secrets).toEqual({
      'accounts.yaml': { file: './accounts.yaml' },
      'digests.yaml': { file: './digests.yaml' },
    });
    for (const name of ['migrate', 'schedule'])
      expect(uncommented.services[name]).toEqual({
        ...services[name],
        secrets: Object.keys(secrets!),
        volumes: ['./ca.pem:/etc/callsheet/ca.pem:ro'],
      });
    for (const name of ['ACCOUNTS_FILE', 'DIGESTS_FILE'])
      expect(Object.keys(secrets!).map((secret) => `/run/secrets/${secret}`)).toContain(
        new RegExp(`# .*\\b${name}=([\\w./]*\\w)`).exec(text)![1],
      );
    expect(text).toContain('NODE_EXTRA_CA_CERTS=/etc/callsheet/ca.pem');
  });

  it('takes an accounts file and a digests file, and secrets from files, where .env leaves the others empty', () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-compose-'));
    const file = (name: string, content: string) => {
      writeFileSync(path.join(folder.path, name), content, { mode: 0o600 });
      return path.join(folder.path, name);
    };
    const { SIDTOKEN: _, ...others } = filledIn;
    const files = {
      ACCOUNTS_FILE: file('accounts.yaml', '- { name: north, sidtoken: one-session-token }\n'),
      DIGESTS_FILE: file('digests.yaml', '- { name: Managers, to: cleo@example.com, accounts: [north] }\n'),
      SMTP_URL_FILE: file('smtp_url', 'smtp://user:password@mail.example.com:587\n'),
      DATABASE_URL_FILE: file('database_url', 'postgres://db.example.com/callsheet?sslmode=verify-full\n'),
    };
    const empty = { DIGEST_TO: '', SMTP_URL: '', DATABASE_URL: '' };
    const environment = variablesOf(services.schedule!, { ...others, ...files, ...empty });
    const { config, secrets, warnings } = load(environment);
    expect(warnings).toEqual([]);
    expect(config.digests.map(({ to }) => to)).toEqual([['cleo@example.com']]);
    expect([secrets.smtpUrl(), secrets.databaseUrl()]).toEqual([
      'smtp://user:password@mail.example.com:587',
      'postgres://db.example.com/callsheet?sslmode=verify-full',
    ]);
    const clashing = variablesOf(services.schedule!, { ...others, ...files });
    expect(() => load(clashing)).toThrow('DIGEST_TO and DIGESTS_FILE are both set');
  });

  it('migrates before it schedules, once the database is healthy', () => {
    expect(services.migrate!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(services.schedule!.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
    });
  });

  it('gives the app no more privileges than it needs, and publishes ports to this machine only', () => {
    for (const [, service] of ours)
      expect(service).toMatchObject({
        read_only: true,
        mem_limit: '512m',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    for (const { ports } of Object.values(services))
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(services.schedule!.ports).toContain('127.0.0.1:8080:8080');
  });
});
