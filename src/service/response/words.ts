/*
 * Meanings of the service's texts besides its list. The document shows neither errors nor states (service.md 3, 7): these are
 * the words of services of this kind. Each takes a text as `words` returns it.
 */

/** `SESSION_EXPIRED`, `sessionExpired` and `Session "expired"` become `session expired`; sentences keep their ends. */
export function words(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/n[’']t\b/gi, ' not')
    .replaceAll(/\.(?=\w)|[\s_/:="'’`()[\]{}-]+/g, ' ')
    .toLowerCase()
    .trim();
}

const anyOf = (...alternatives: readonly string[]) => new RegExp(`\\b(?:${alternatives.join('|')})\\b`);

/** Words for the things that identify a caller. */
const access =
  '(?:sid ?token|token|sid|session|log ?in|log ?on|sign ?in|sign ?on|credentials?|password|api ?key|auth|authenticat(?:ion|e)|authori[sz]ation)';
const bad =
  '(?:invalid|expired|missing|bad|wrong|unknown|incorrect|inactive|revoked|rejected|refused|denied|unrecogni[sz]ed|illegal|malformed)';
const filler =
  '(?:or|and|the|your|this|that|an?|given|supplied|provided|active|current|user|username|name|id|key|value|status|state|code|has|have|had|was|were|is|are|been|already|now|must|should|be|to|seems|appears|does|did|error|message|redacted|\\S*\\d\\S*)';

/** A session, login or token is invalid, expired, missing or required. */
const refusal = anyOf(
  `${bad} (?:(?:${bad}|${filler}) ){0,3}${access}`,
  // Not "no session campaigns".
  `no (?:valid |active |current |open )?${access}(?=\\W*$|[.,;!?]| (?:was|is|has|given|provided|found|supplied|specified|set|present)\\b)`,
  `${access} (?:${filler} ){0,5}(?:${bad}|required|needed|mandatory|over|ended|closed|terminated|killed|time ?out|timed ?out|failed|failure|error|mismatch)`,
  `${access} (?:${filler} ){0,3}(?:not|no longer|never) (?:been |be |a )?(?:valid|found|recogni[sz]ed|provided|given|supplied|specified|set|present|active|accepted|authori[sz]ed|known|exist|match|matched|verified|validated)`,
  `${access} must be (?:provided|given|supplied|specified|set|renewed)`,
  '(?:please|must|need to|have to|required to) (?:first )?(?:re ?)?(?:log|sign) ?(?:in|on)',
  '(?:log|sign) ?(?:in|on) (?:again|first|before|to|at|via)',
  're ?(?:login|authenticate)',
  'authenticate (?:again|first)',
  '(?:not|no longer) (?:logged|signed) (?:in|on)',
  '(?:logged|signed) ?out',
  '(?:un|un |not )(?:authori[sz]ed|authenticated)',
  `(?:failed to|could not|can ?not|unable to) (?:authenticate|authori[sz]e|log ?in|sign ?in|(?:verify|validate) (?:the |your )?${access})`,
  '(?:access|permission) (?:is |was )?(?:denied|refused|forbidden)',
  'no (?:access|permission)',
  'forbidden',
);
export const refusesAccess = (text: string): boolean => refusal.test(text);

const things =
  '(?:campaigns?|call ?sets?|reports?|results?|records?|data|rows?|entry|entries|calls|clients|customers|items|statistics|stats|activity|summary|summaries|content|sessions)';
const nothing = anyOf(
  `(?:no|0|zero|without|without any) (?:(?!such|access|permission|valid|connection|response|answer|route|path|page|endpoint|operation|method|resource|url|host|handler|service)\\w+ ){0,3}?${things}(?! (?:source|base|connection|file|server|could|can))`,
  'nothing (?:was |to |has been |is )?(?:found|reported?|shown?|display|returned|available)',
  '(?:campaigns?|call ?sets?|results?|records?|data|rows?|calls|statistics|entries|matches) (?:\\w+ ){0,4}?(?:not found|not exist|empty|none)',
  '(?:found|returned) (?:no|0|nothing)',
  '(?:could|did|can) ?not find any',
  'none (?:was |were )?found',
  'no match(?:es)?',
  'empty (?:result|list|set|response)',
);
/** Nothing was found, whatever it is about. */
export const saysNothingFound = (text: string): boolean => nothing.test(text);

const notDone =
  'ready|done|finished|completed?|final|finali[sz]ed|processed|calculated|computed|generated|loaded|up to date';
const unfinished = anyOf(
  `not (?:yet |been |fully |all ){0,3}(?:${notDone})`,
  'not yet',
  '(?:available|complete|ready|final) yet',
  'yet (?:available|complete|ready|final)',
  'unfinished',
  'incomplete',
  'still (?:being )?(?:\\w+ing|open|queued)',
  '(?:being|currently) (?:process|generat|prepar|calculat|comput|creat|buil|collect|aggregat|updat|refresh|load|import|sync)\\w*',
  'in (?:progress|process|preparation|queue|the queue|part)',
  '(?:processing|generating|preparing|calculating|computing|aggregating|collecting)',
  'pending',
  'queued',
  'partial',
  'partially',
  'truncated',
  'preliminary',
  '(?:only|just) (?:the )?first',
  'limited to',
  'limit (?:was |is |has been )?(?:reached|exceeded)',
  'too many (?:results|records|rows|campaigns)',
  'more (?:results|records|rows|campaigns|data|pages) (?:are |is )?available',
);
const noUnfinished =
  /\b(?:no|0|none) (?:\w+ ){0,3}?(?:in progress|processing|pending|queued|more (?:results|records|rows|campaigns|data|pages))\b/g;
/** The service isn't done, or this is a part. */
export const saysUnfinished = (text: string): boolean => unfinished.test(text.replaceAll(noUnfinished, ''));

const state =
  /^(?:processing|in process|in progress|pending|(?:in )?queued?|waiting|wait|running|started|starting|scheduled|accepted|submitted|preparing|building|generating|calculating|computing|collecting|aggregating|loading|updating|refreshing|syncing|synchroni[sz]ing|working|busy|ongoing|partial|partial content|incomplete|unfinished|delayed|retry|preliminary|interim|not (?:yet )?(?:ready|done|finished|complete|completed|available|final))$/;
/** The value of a status or state that isn't the last one. */
export const isStateOfWork = (text: string): boolean => state.test(text);

const failing = anyOf(
  '(?<!no )(?<!0 )(?<!without )errors?(?! (?:none|0|no)\\b)',
  'exception',
  '(?<!no )(?:invalid|bad request|rejected|refused|denied|exceeded|too many requests)',
  'not (?:allowed|permitted|supported)',
  'failed',
  'failure',
  '(?:could|can) ?not (?!find|locate|be found)',
  'unable to (?!find|locate)',
  'maintenance',
  'unavailable',
  'temporar(?:y|ily)',
  'overloaded',
  '(?:too|is|are|server|service) busy',
  'offline',
  'down for',
  'time ?out',
  'timed ?out',
  '(?:try|ask|check|come) (?:it )?(?:again|back|later)',
  'again later',
  'please wait',
  'retry',
);
/** Something failed, or may work later. */
export const saysFailure = (text: string): boolean => failing.test(text);
