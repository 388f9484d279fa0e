import type { ZodType } from 'zod';
import {
  type Listed,
  type ParsedResponse,
  parseResponse,
} from '../../src/service/response/parse-response.ts';
import type { Redactor } from '../../src/support/redaction.ts';

/** What a body with status 200 is read as. */
export const parseGood = <T extends Listed>(
  body: string,
  schema: ZodType<T>,
  redactor: Redactor,
): ParsedResponse<T> => parseResponse({ status: 200, body }, schema, redactor)!;
