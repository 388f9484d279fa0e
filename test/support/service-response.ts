import type { ServiceResponse } from '../../src/model/records.ts';

/** A response as it is archived, where only its body matters to a test. */
export const serviceResponse = (body = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  body,
});
