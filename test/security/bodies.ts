import { parseResponse } from '../../src/service/response/parse-response.ts';
import { campaignSummarySchema } from '../../src/service/response/schema.ts';
import { createRedactor } from '../../src/support/redaction.ts';

/** Parses a body of campaigns as a request does. */
export const parseCampaigns = (body: string) => parseResponse(body, campaignSummarySchema, createRedactor());

/**
 * V8's hash of a whole number, which has no seed (`ComputeUnseededHash`, src/numbers/hash-seed-inl.h): ids that have
 * the same low bits of it are in the same bucket of a Map.
 */
export function unseededHash(key: number): number {
  let hash = key | 0;
  hash = (~hash + (hash << 15)) | 0;
  hash ^= hash >>> 12;
  hash = (hash + (hash << 2)) | 0;
  hash ^= hash >>> 4;
  hash = Math.imul(hash, 2057);
  hash ^= hash >>> 16;
  return hash & 0x3fffffff;
}

/** So many ids of one bucket, in a map of 2^17 of them. */
export function collidingIds(count: number): number[] {
  const ids: number[] = [];
  for (let id = 1; ids.length < count; id++) if ((unseededHash(id) & 0x1ffff) === 0) ids.push(id);
  return ids;
}
