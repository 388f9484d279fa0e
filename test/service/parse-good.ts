import { type ParsedResponse, parseResponse } from '../../src/service/response/parse-response.ts';
import type { AnswerSchema } from '../../src/service/response/schema.ts';
import type { Redactor } from '../../src/support/redaction.ts';

/** What a body with status 200 is read as, if nobody accepted anything. Throws if it is an unknown answer. */
export function parseGood<T>(body: string, schema: AnswerSchema<T>, redactor: Redactor): ParsedResponse<T> {
  const answer = parseResponse({ status: 200, body }, schema, redactor, () => false);
  if ('sign' in answer) throw new Error(`unknown answer (${answer.sign})`);
  return answer;
}
