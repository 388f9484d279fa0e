import { expect, test } from 'vitest';
import type { VariantName } from '../../support/simulator/variants.ts';
import { campaignsOf, DAY, getCampaigns, getClients, NORTH, start } from '../simulator.ts';

test.for<[VariantName, object]>([
  ['session-expired-in-empty-list', { error: 'session expired' }],
  ['login-asked-in-empty-list', { status: 'OK', message: 'Please log in again.' }],
  ['token-error-in-empty-list', { errors: [{ code: 1102, message: 'The sidtoken is not known.' }] }],
  ['error-in-empty-list', { error: 'internal error' }],
  ['error-flag-in-empty-list', { error: true }],
])('%s: both operations have status 200, an empty list, and %j', async ([variant, says]) => {
  const simulator = await start({ variants: [variant] });
  const clients = await getClients(simulator, { limit: '100' });
  expect(clients).toMatchObject({ status: 200, body: { pages: 0, count: 0, data: [], ...says } });
  const campaigns = await getCampaigns(simulator);
  expect(campaigns).toMatchObject({ status: 200, body: { campaigns: 0, reports: 0, result: [], ...says } });
});

test('no-error-in-empty-list: lists are whole, and an empty one says that there are no campaigns', async () => {
  const simulator = await start({ variants: ['no-error-in-empty-list'] });
  const nothing = { error: null, errors: [], success: true };
  expect((await getClients(simulator, { limit: '620', balance: 'true' })).body).toMatchObject({
    ...nothing,
    message: '',
    data: NORTH,
  });
  expect((await getCampaigns(simulator)).body).toMatchObject({
    ...nothing,
    message: '',
    result: campaignsOf(DAY),
  });
  expect((await getCampaigns(simulator, '1999-12-31')).body).toMatchObject({
    ...nothing,
    message: 'No campaigns found',
    result: [],
  });
});

test('error-beside-records: lists are whole, with an error', async () => {
  const simulator = await start({ variants: ['error-beside-records'] });
  const { body } = await getCampaigns(simulator);
  expect(body).toMatchObject({ error: 'statistics of a switch are late', result: campaignsOf(DAY) });
});
