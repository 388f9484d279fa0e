import { alerts } from './promises/alerts.ts';
import { digest } from './promises/digest.ts';
import { edges } from './promises/edges.ts';
import { job } from './promises/job.ts';
import { mail } from './promises/mail.ts';
import { service } from './promises/service.ts';
import { warehouse } from './promises/warehouse.ts';
import { windows } from './promises/windows.ts';

/** What breaks for a user, and the change that breaks it: a test of behaviour has to notice. */
export type Broken = {
  readonly promise: string;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The file of the test that proves it: the only one that is asked. */
  readonly test: string;
};

/** All promises, by the part of the product that keeps them. */
export const promises: readonly Broken[] = [
  ...job,
  ...warehouse,
  ...edges,
  ...alerts,
  ...windows,
  ...service,
  ...digest,
  ...mail,
];
