import { ResponseTooLarge } from './request-errors.ts';

/**
 * Reads a body as text, in the charset that its content type names.
 * Throws ResponseTooLarge above `maxBytes`, counted after decompression; the rest is not received then.
 */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    // That the connection fails meanwhile doesn't make the response smaller.
    await response.body?.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return decoderFor(response.headers.get('content-type') ?? '').decode(Buffer.concat(chunks));
}

const tooLarge = (maxBytes: number) => new ResponseTooLarge(`more than ${maxBytes} bytes`);

/** UTF-8 where no known charset is named (RFC 8259, 8.1). */
function decoderFor(contentType: string): TextDecoder {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
