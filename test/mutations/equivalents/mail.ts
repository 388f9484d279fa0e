import type { Equivalent } from '../equivalents.ts';

export const inMail: readonly Equivalent[] = [];
