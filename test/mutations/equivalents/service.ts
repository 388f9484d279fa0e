import type { Equivalent } from '../equivalents.ts';

export const inService: readonly Equivalent[] = [];
