import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isDatabaseOutage } from '../../../src/warehouse/failures.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse(1);

it.each([
  ['08006', true],
  ['53000', true],
  ['57P03', true],
  ['58030', true],
  ['40001', true],
  ['55P04', true],
  ['XX000', true],
  ['23505', false],
  ['42703', false],
])('SQLSTATE %s is an outage that another run may heal: %s', async (state, isOutage) => {
  const raised = sql`do ${sql.lit(`begin raise 'away' using errcode = '${state}'; end`)}`.execute(warehouse);
  const error = await raised.catch((thrown: unknown) => thrown);
  expect(isDatabaseOutage(error)).toBe(isOutage);
});
