import { type FaultKind, namedFaultKinds, type ScriptedFault } from './scripted-faults.ts';

const EXAMPLE = 'getClients:page=3:times=2:status-500';

/** The form of a fault on the command line. */
export const FAULT_FORM = `OPERATION[:page=N][:day=YYYY-MM-DD][:account=NAME][:nth=N][:times=N|forever]:KIND, as in ${EXAMPLE}`;

/** The kinds of faults, for people. */
export const FAULT_KINDS = `${namedFaultKinds.join(', ')}, or status-NNN from 400 to 599`;

const OPERATIONS = ['getClients', 'campaignSummary'] as const;

type Conditions = { -readonly [Name in 'page' | 'day' | 'account' | 'nth']?: ScriptedFault[Name] } & {
  times: number;
};

/** Reads a fault of the command line. Throws a RangeError that says which part is wrong, and what would be right. */
export function readFault(spec: string): ScriptedFault {
  const parts = spec.split(':');
  const operation = OPERATIONS.find((each) => each === parts[0]);
  if (!operation) throw wrong(`"${parts[0]}" is no operation; there are ${OPERATIONS.join(' and ')}`);
  if (parts.length === 1) throw wrong('There is no kind at its end');
  const kind = readKind(parts.at(-1) ?? '');
  const conditions: Conditions = { times: 1 };
  for (const part of parts.slice(1, -1)) readCondition(conditions, part);
  if (conditions.page !== undefined && operation !== 'getClients') throw wrong('Only getClients has a page');
  if (conditions.day !== undefined && operation !== 'campaignSummary') {
    throw wrong('Only campaignSummary has a day');
  }
  return { operation, ...conditions, kind };
}

function readKind(text: string): FaultKind {
  const named = namedFaultKinds.find((kind) => kind === text);
  if (named) return named;
  const [, status] = /^status-([45]\d\d)$/.exec(text) ?? [];
  if (status === undefined) throw wrong(`"${text}" is no kind; there are ${FAULT_KINDS}`);
  return `status-${Number(status)}`;
}

function readCondition(conditions: Conditions, part: string): void {
  const [, name, value = ''] = /^(page|day|account|nth|times)=(.+)$/.exec(part) ?? [];
  switch (name) {
    case 'page':
      conditions.page = readNumber(part, value, 0);
      break;
    case 'nth':
      conditions.nth = readNumber(part, value, 1);
      break;
    case 'times':
      conditions.times = value === 'forever' ? Number.POSITIVE_INFINITY : readNumber(part, value, 1);
      break;
    case 'account':
      conditions.account = value;
      break;
    case 'day':
      if (!/^\d{4}-\d\d-\d\d$/.test(value)) throw wrong(`"${part}" has no day of the form YYYY-MM-DD`);
      conditions.day = value;
      break;
    default:
      throw wrong(`"${part}" is none of page=N, day=D, account=NAME, nth=N and times=N`);
  }
}

function readNumber(part: string, text: string, least: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < least) throw wrong(`"${part}" has no whole number from ${least} on`);
  return value;
}

function wrong(fault: string): RangeError {
  return new RangeError(`${fault}. A right one: ${EXAMPLE}`);
}
