import type { Equivalent } from '../equivalents.ts';

export const inDigestContent: readonly Equivalent[] = [];
