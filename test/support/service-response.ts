import { hashed, type ServiceResponse } from '../../src/model/records.ts';

export const serviceResponse = (text = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  ...hashed(Buffer.from(text)),
});
