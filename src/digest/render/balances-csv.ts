import { Readable } from 'node:stream';
import type { ClientBalance, CsvStyle } from '../../model/digest.ts';
import { csvLines } from './csv.ts';

const columns = ['account', 'account_label', 'client_id', 'client', 'balance'];

/** Streams clients and their balances as CSV, in the style of the campaigns' CSV. */
export function balancesCsv(clients: AsyncIterable<ClientBalance>, style: CsvStyle): Readable {
  return Readable.from(pieces(clients, style), { objectMode: false });
}

async function* pieces(clients: AsyncIterable<ClientBalance>, style: CsvStyle): AsyncGenerator<string> {
  yield `\ufeff${csvLines([columns], style)}`;
  // Spreadsheets store numbers as doubles.
  for await (const { account, label, clientId, name, balance } of clients)
    yield csvLines([[account, label, clientId, name, Number(balance)]], style);
}
