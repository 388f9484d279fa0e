import { draw, drawBits, shuffle } from './random.ts';
import { CLIENT_NAMES, fill, TOWNS } from './words.ts';

/** A client record with its wire names (service.md 2.1). The balance is money as text: "1234.50". */
export type SimulatedClient = {
  readonly clientid: number;
  readonly clientname: string;
  readonly checksum: string;
  readonly balance: string;
};

/** `count` clients in order of their ids, no name twice. */
export function generateClients(seed: number, count: number): SimulatedClient[] {
  return clientNames(seed)
    .slice(0, count)
    .map((clientname, index) => generateClient(seed, clientname, index));
}

function clientNames(seed: number): string[] {
  const names = CLIENT_NAMES.flatMap((template) => TOWNS.map((town) => fill(template, { town })));
  return shuffle(names, seed, 'client names');
}

function generateClient(seed: number, clientname: string, index: number): SimulatedClient {
  // Ids rise with gaps, as where clients of other callers were created in between.
  const clientid = 48_200 + index * 4 + Math.floor(draw(seed, 'client id', index) * 4);
  const checksum = String(drawBits(seed, 'checksum', clientid)).padStart(10, '0');
  return { clientid, clientname, checksum, balance: balanceOf(seed, clientid) };
}

/** Dollars and cents as text. Most clients have some hundreds, a few owe a little, some have nothing. */
function balanceOf(seed: number, clientid: number): string {
  const mood = draw(seed, 'mood', clientid);
  if (mood < 0.04) return '0.00';
  const cents = Math.floor(250_000 * draw(seed, 'balance', clientid) ** 2);
  const signed = mood < 0.06 ? -Math.ceil(cents / 100) : cents;
  return (signed / 100).toFixed(2);
}
