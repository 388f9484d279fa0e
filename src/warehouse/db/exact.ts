import type { SpanSums } from '../../model/digest.ts';
import type { RateSums, Sums } from '../../model/records.ts';

/** Sums as they are read: decimal text, which no double rounds. */
export type Read<Row extends Sums> = Omit<Row, keyof Sums | 'rates'> &
  Decimal<Sums> & { readonly rates: { readonly [name in keyof SpanSums['rates']]: Decimal<RateSums> } };
export type Decimal<Row> = { readonly [name in keyof Row]: string | null };

/** The sums of a row as numbers of any size. */
export function exact<Row extends Sums & Pick<SpanSums, 'rates'>>(row: Read<Row>): Row {
  const { rates } = row;
  const rate = (sums: Decimal<RateSums>): RateSums => ({
    part: toBigInt(sums.part),
    attempts: toBigInt(sums.attempts),
  });
  return {
    ...row,
    ...exactSums(row),
    rates: {
      connects: rate(rates.connects),
      liveAnswers: rate(rates.liveAnswers),
      busies: rate(rates.busies),
    },
  } as unknown as Row;
}

/** The four sums alone. */
export const exactSums = ({ attempts, busies, connects, liveAnswers }: Decimal<Sums>): Sums => ({
  attempts: toBigInt(attempts),
  busies: toBigInt(busies),
  connects: toBigInt(connects),
  liveAnswers: toBigInt(liveAnswers),
});

export const toBigInt = (value: string | null) => (value === null ? null : BigInt(value));
