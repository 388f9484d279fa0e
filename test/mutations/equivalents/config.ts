import type { Equivalent } from '../equivalents.ts';

export const inConfig: readonly Equivalent[] = [];
