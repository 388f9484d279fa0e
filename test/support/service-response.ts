import type { ServiceResponse } from '../../src/model/records.ts';

export const serviceResponse = (body = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  body,
});
