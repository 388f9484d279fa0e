import { expect } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import type { World } from '../../support/world.ts';
import { install } from '../prometheus/nights.ts';
import { type Nginx, type Places, startNginx } from './nginx.ts';

type Ended = {
  readonly code: number | null;
  /** The messages of its errors, one a line of its log. */
  readonly errors: readonly string[];
  /** Whether its day was loaded. */
  readonly isLoaded: boolean;
};

export type Proxied<Place extends string> = {
  readonly nginx: Nginx<Place>;
  /** A run of a day that no run had before, over TLS at that port, with nginx's authority. */
  run(port: number, settings?: World['environment']): Promise<Ended>;
  close(): Promise<void>;
};

/** An installation, and nginx before its service, at `host:port`. */
export async function openProxied<Place extends string>(
  placesBefore: (service: string) => Places<Place>,
): Promise<Proxied<Place>> {
  const world = await install();
  const nginx = await startNginx(placesBefore(`127.0.0.1:${world.simulator.port}`));
  let daysAgo = 1;
  return {
    nginx,
    async run(port, settings) {
      daysAgo++;
      const day = Temporal.Now.plainDateISO('UTC').subtract({ days: daysAgo }).toString();
      const { code, stdout, stderr } = await callsheet(['run', '--day', day, '--no-digest'], {
        ...world.environment,
        SERVICE_BASE_URL: `https://127.0.0.1:${port}/api`,
        NODE_EXTRA_CA_CERTS: nginx.authority,
        ...settings,
      });
      expect(stdout + stderr).not.toContain(world.environment.SIDTOKEN);
      const lines = stderr.trim().split('\n');
      const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
      const loaded = await world.query('select 1 from warehouse.account_days where day = $1', [day]);
      return {
        code,
        errors: errors.map(({ msg }) => msg),
        isLoaded: loaded.length === 1,
      };
    },
    async close() {
      await nginx.stop();
      await world.close();
    },
  };
}

export const healed: Ended = {
  code: 0,
  errors: [],
  isLoaded: true,
};

/** Nothing could be loaded: a line for clients and one for the day say why, and what to do; then comes the alert, which has no recipient. */
export const unavailable = (problem: string | RegExp): Ended => {
  const line = expect.stringMatching(problem);
  return { code: 69, errors: [line, line, expect.stringMatching(/^alert: /)], isLoaded: false };
};
