import { hash } from 'node:crypto';
import type { ServiceResponse } from '../../src/model/records.ts';

export const serviceResponse = (text = '{}'): ServiceResponse => ({
  operation: 'campaignSummary',
  parameters: {},
  status: 200,
  requestedAt: performance.now(),
  body: Buffer.from(text),
  sha256: hash('sha256', text, 'buffer'),
});
