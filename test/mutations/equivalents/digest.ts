import type { Equivalent } from '../equivalents.ts';

export const inDigest: readonly Equivalent[] = [];
