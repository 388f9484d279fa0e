import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandNames, settingNames as known, read } from './known.ts';

type Service = {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  env_file?: string;
  [key: string]: unknown;
};
const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, service]) => service.image === 'callsheet');

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
    const database = new URL(ours[0]![1].environment!.DATABASE_URL!.replace(/\$\{[^}]*\}/, 'password'));
    expect([database.username, database.hostname, database.pathname]).toEqual([
      'callsheet',
      'postgres',
      '/callsheet',
    ]);
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
