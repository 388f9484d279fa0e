import type { ServiceResponse } from '../../src/model/records.ts';

/** A response to archive, for tests that need only a body. */
export const serviceResponse = (body = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  body,
});
