/** An `SMTP_URL`, parsed. */
export type SmtpAddress = {
  readonly host: string;
  readonly port: number;
  /** Encrypted from the first byte: `smtps://`. */
  readonly secure: boolean;
  /** Whether a connection that isn't encrypted will do: on this machine, or where `?tls=optional` says so. */
  readonly plainAllowed: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** Where and how it answers, for people. */
  readonly description: string;
};

/** Reads `smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`. */
export function readSmtpAddress(url: string): SmtpAddress {
  const { hostname, protocol, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const local = isLoopback(hostname);
  const optional = searchParams.get('tls') === 'optional';
  const number = Number(port) || (secure ? 465 : 587);
  const way = secure
    ? 'over TLS'
    : local
      ? 'on this machine'
      : optional
        ? 'with TLS if it has it'
        : 'with STARTTLS';
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: number,
    secure,
    plainAllowed: local || optional,
    login: username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : null,
    description: `${hostname}:${number} answers ${way}`,
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
