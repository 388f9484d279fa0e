import { inConfig } from './equivalents/config.ts';
import { inDigest } from './equivalents/digest.ts';
import { inDigestContent } from './equivalents/digest-content.ts';
import { inMail } from './equivalents/mail.ts';
import { inPlanning } from './equivalents/planning.ts';
import { inService } from './equivalents/service.ts';

/** A mutant that no test can kill, because it behaves the same. */
export type Equivalent = {
  readonly file: string;
  /** The lines before and after the mutation, joined with single spaces. */
  readonly line: string;
  readonly becomes: string;
  readonly because: string;
};

export const equivalents: readonly Equivalent[] = [
  ...inPlanning,
  ...inService,
  ...inConfig,
  ...inDigestContent,
  ...inDigest,
  ...inMail,
];
