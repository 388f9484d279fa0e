import { type IncomingHttpHeaders, request } from 'node:http';
import type { Simulator } from '../../src/simulator/server.ts';
import { onTheWire, tokenOf } from './ask.ts';

/** An answer as it came over the wire, and how it ended. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `reset`: nothing came; `cut`: the connection ended early; `stalled`: it stayed, silent; `endless`: we left. */
  readonly end: 'whole' | 'cut' | 'stalled' | 'reset' | 'endless';
};

const SILENCE_MS = 300;
const ENOUGH_BYTES = 2_000_000;

/** Asks as it stands, on a connection of its own, and takes whatever comes. */
export function askRaw(
  simulator: Simulator,
  operation: string,
  query: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const asked = request(`${simulator.url}/${operation}?${new URLSearchParams(query)}`, { agent: false });
    asked.once('error', () => resolve({ status: 0, headers: {}, text: '', end: 'reset' }));
    asked.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      let text = '';
      const finish = (end: RawAnswer['end']) => {
        resolve({ status, headers, text, end });
        asked.destroy();
      };
      const patience = setTimeout(finish, SILENCE_MS, 'stalled');
      response.setEncoding('utf8').on('data', (piece: string) => {
        patience.refresh();
        text += piece;
        if (text.length > ENOUGH_BYTES) finish('endless');
      });
      response.on('error', () => finish('cut')).on('end', () => finish('whole'));
      response.on('close', () => clearTimeout(patience));
    });
    asked.end();
  });
}

/** The nth of a row of different questions: a page of one client, for it is the number that matters. */
export function askNth(simulator: Simulator, nth: number): Promise<RawAnswer> {
  return askRaw(simulator, 'getClients.wr', { sidtoken: tokenOf('north'), limit: '1', page: String(nth) });
}

export function askDayRaw(simulator: Simulator, day: string, account = 'north'): Promise<RawAnswer> {
  const date = onTheWire(day);
  return askRaw(simulator, 'campaignSummary.wr', {
    sidtoken: tokenOf(account),
    startdate: date,
    enddate: date,
  });
}
