import { type ExitCode, exitCode } from '../../model/exit-code.ts';
import type { Finding } from '../../model/finding.ts';

/** The document leaves this open, and the service's behaviour is fine. */
export function ok(subject: string, message: string): Finding {
  return { area: 'service', subject, message, status: 'ok' };
}

/** Callsheet works, but less well than it could. */
export function warning(subject: string, message: string, advice: string): Finding {
  return { area: 'service', subject, message, status: 'warning', advice };
}

/** The figures would be wrong, or are missing: by default, a setting is wrong. */
export function error(
  subject: string,
  message: string,
  advice: string,
  code: ExitCode = exitCode.configuration,
): Finding {
  return { area: 'service', subject, message, status: 'error', advice, exitCode: code };
}
