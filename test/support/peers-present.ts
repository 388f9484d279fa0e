import { missingPeers } from './peers.ts';

/** Fails before the first test of `peers` if one of their programs is missing. */
export function setup(): void {
  const missing = missingPeers();
  if (missing.length > 0) throw new Error(missing.join('\n'));
}
