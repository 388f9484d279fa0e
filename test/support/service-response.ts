import type { ServiceResponse } from '../../src/model/records.ts';
import { hashed } from '../../src/service/response/body.ts';

export const serviceResponse = (text = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  ...hashed(Buffer.from(text)),
});
