import { inConfig } from './equivalents/config.ts';
import { inDigest } from './equivalents/digest.ts';
import { inDigestContent } from './equivalents/digest-content.ts';
import { inJob } from './equivalents/job.ts';
import { inMail } from './equivalents/mail.ts';
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
  ...inJob,
  ...inService,
  ...inConfig,
  ...inDigestContent,
  ...inDigest,
  ...inMail,
];
