import { afterAll, describe, inject } from 'vitest';
import { pairs } from '../crash/pairs.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

const pooler = await startPgBouncer(inject('postgresAdminUrl'));
afterAll(() => pooler.stop());

describe('of two runs that start together behind PgBouncer', () => pairs(pooler.url));
