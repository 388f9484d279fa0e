import { Failure } from '../model/failure.ts';

const settled: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'the user may not log in',
  '3D000': 'the database does not exist',
  '42501': 'the user lacks a right',
};

const passing = /^(08|53|57P|40|55P)/;
const network = /^E[A-Z]+$/;

/** What an error of the database means to an operator; null where it is a fault of ours. */
export function warehouseFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown }).code;
  const message = nested instanceof Error ? nested.message : error.message;
  if (typeof code === 'string' && code in settled) {
    return new Failure(
      'configuration',
      `the database refuses: ${settled[code]} (${message})`,
      'check DATABASE_URL',
    );
  }
  if (typeof code === 'string' && (passing.test(code) || (network.test(code) && isConnecting(nested)))) {
    return unreachable(`${code}: ${message}`);
  }
  return /timeout|terminated|not queryable|Connection ended|closed/i.test(message) && code === undefined
    ? unreachable(message)
    : null;
}

function isConnecting(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function unreachable(said: string): Failure {
  return new Failure(
    'warehouse unavailable',
    `the database can't be used (${said})`,
    'check that it runs and that DATABASE_URL is right; the next run goes on',
  );
}

export function schemaTooOld(pending: readonly string[]): Failure {
  return new Failure(
    'schema too old',
    `the schema of the warehouse lacks ${pending.length} migration(s), from ${pending[0]}`,
    'run: npm start -- migrate',
  );
}

/** Then another run may begin at any moment, so this one ends. */
export function lockLost(): Failure {
  return new Failure(
    'warehouse unavailable',
    'the connection that held the run lock died',
    'check that the database runs; the next run goes on',
  );
}
