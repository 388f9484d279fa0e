import { randomBytes } from 'node:crypto';
import { administer } from './database.ts';

export type TestRole = {
  readonly name: string;
  /** The URL of the same database for this role. */
  url(databaseUrl: string): string;
  /** Alters new connections of the role: `connection limit 1`, `set lock_timeout = '1s'`, … */
  alter(change: string): Promise<void>;
  drop(): Promise<void>;
};

/** Creates a role with the rights of the owner of the suite's databases. */
export const createRole = () => create('in role current_user');

/** Creates a role that may only connect. */
export const createStranger = () => create('');

async function create(membership: string): Promise<TestRole> {
  const name = `role_${randomBytes(8).toString('hex')}`;
  await administer(`create role ${name} login password '${name}' ${membership}`);
  return {
    name,
    url(databaseUrl) {
      const url = new URL(databaseUrl);
      url.username = name;
      url.password = name;
      return url.href;
    },
    alter: (change) => administer(`alter role ${name} ${change}`),
    drop: () => administer(`drop role ${name}`),
  };
}
